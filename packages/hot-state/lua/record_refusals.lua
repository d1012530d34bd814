-- Adds an instance's counts of an account's calls and refusals. Statistics only: a repeated call counts twice.
-- KEYS  1 refusals of the day (HASH)  2 last calls (HASH)
-- ARGV  1 JSON {hour, counts {name: n}, last {name: ms}}  2 lifetime of refusals, ms  3 lifetime of the last calls, ms
-- Reply 1

local gathered = cjson.decode(ARGV[1])

for name, count in pairs(gathered.counts) do
  redis.call('HINCRBY', KEYS[1], gathered.hour .. ':' .. name, count)
end
for name, ms in pairs(gathered.last) do
  local known = redis.call('HGET', KEYS[2], name)
  if not known or tonumber(known) < ms then redis.call('HSET', KEYS[2], name, string.format('%.0f', ms)) end
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 1
