-- Adds an instance's counts of an account's calls and refusals. Statistics only: a repeated call counts twice.
-- KEYS  refusals of the day, last calls: hashes
-- ARGV  JSON {hour, counts {name: n}, last {name: ms}}, lifetime of refusals (ms), lifetime of the last calls (ms)
-- Reply {}

-- @include "time"
-- @include "last_calls"

local refusals, last_calls = unpack(KEYS)
local gathered, refusals_kept_ms, last_calls_kept_ms = cjson.decode(ARGV[1]), ARGV[2], ARGV[3]

for name, count in pairs(gathered.counts) do
  redis.call('HINCRBY', refusals, gathered.hour .. ':' .. name, count)
end
redis.call('PEXPIRE', refusals, refusals_kept_ms)
record_last_calls(last_calls, gathered.last, last_calls_kept_ms)
return {}
