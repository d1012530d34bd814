-- Adds an instance's counts of one game's calls. Statistics only: a repeated call counts twice.
-- KEYS  last calls, hours of the day, days of the month: hashes; words of the month: a sorted set; scenes: a list
-- ARGV  JSON {hour, day, counts {name: n}, last {name: ms}, words {word: n}, scenes [text]}, maximum number of words,
--       maximum number of scenes, lifetime of hours and scenes (ms), lifetime of the rest (ms)
-- Reply {}

-- @include "time"
-- @include "last_calls"

local last_calls, hours, days, words, scenes = unpack(KEYS)
local gathered, max_words, max_scenes, hours_kept_ms, days_kept_ms = cjson.decode(ARGV[1]), unpack(ARGV, 2)

for name, count in pairs(gathered.counts) do
  redis.call('HINCRBY', hours, gathered.hour .. ':' .. name, count)
  redis.call('HINCRBY', days, gathered.day .. ':' .. name, count)
end
redis.call('PEXPIRE', hours, hours_kept_ms)
redis.call('PEXPIRE', days, days_kept_ms)
record_last_calls(last_calls, gathered.last, days_kept_ms)

for word, count in pairs(gathered.words) do redis.call('ZINCRBY', words, count, word) end
local excess = redis.call('ZCARD', words) - max_words
if excess > 0 then redis.call('ZPOPMIN', words, excess) end
redis.call('PEXPIRE', words, days_kept_ms)

if #gathered.scenes > 0 then
  redis.call('LPUSH', scenes, unpack(gathered.scenes))
  redis.call('LTRIM', scenes, 0, integer_text(max_scenes - 1))
  redis.call('PEXPIRE', scenes, hours_kept_ms)
end
return {}
