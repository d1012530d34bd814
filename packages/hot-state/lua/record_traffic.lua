-- Adds an instance's counts of one game's calls. Statistics only: a repeated call counts twice.
-- KEYS  1 last calls (HASH)  2 hours of the day (HASH)  3 days of the month (HASH)  4 words of the month (ZSET)  5 scenes (LIST)
-- ARGV  1 JSON {hour, day, counts {name: n}, last {name: ms}, words {word: n}, scenes [text]}
--       2 maximum number of words  3 maximum number of scenes  4 lifetime of hours and scenes, ms  5 lifetime of the rest, ms
-- Reply 1

local gathered = cjson.decode(ARGV[1])

for name, count in pairs(gathered.counts) do
  redis.call('HINCRBY', KEYS[2], gathered.hour .. ':' .. name, count)
  redis.call('HINCRBY', KEYS[3], gathered.day .. ':' .. name, count)
end
for name, ms in pairs(gathered.last) do
  local known = redis.call('HGET', KEYS[1], name)
  if not known or tonumber(known) < ms then redis.call('HSET', KEYS[1], name, string.format('%.0f', ms)) end
end
for word, count in pairs(gathered.words) do
  redis.call('ZINCRBY', KEYS[4], count, word)
end
local excess = redis.call('ZCARD', KEYS[4]) - tonumber(ARGV[2])
if excess > 0 then redis.call('ZPOPMIN', KEYS[4], excess) end
for _, scene in ipairs(gathered.scenes) do
  redis.call('LPUSH', KEYS[5], scene)
end
redis.call('LTRIM', KEYS[5], 0, tonumber(ARGV[3]) - 1)

redis.call('PEXPIRE', KEYS[1], ARGV[5])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
redis.call('PEXPIRE', KEYS[3], ARGV[5])
redis.call('PEXPIRE', KEYS[4], ARGV[5])
if #gathered.scenes > 0 then redis.call('PEXPIRE', KEYS[5], ARGV[4]) end
return 1
