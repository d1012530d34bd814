-- Moves or removes the entry of an advertiser that has been looked at, unless it has changed meanwhile.
-- It stays until the latest moment that was announced: what was announced may not have arrived yet, and whoever
-- announced it remembers that and says nothing more for a while.
-- KEYS  1 due (ZSET advertiser by ms)  2 announced (HASH advertiser to the latest moment announced, ms)
-- ARGV  1 advertiser  2 moment that the caller saw, ms  3 next moment, ms, or ''
-- Reply 'settled' | 'changed'
-- @include "memory"

local due = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not due or tonumber(due) ~= tonumber(ARGV[2]) then
  return 'changed'
end
pass_when_full(KEYS[1])
local next_due = tonumber(ARGV[3])
local announced = tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or '0')
if announced <= tonumber(due) then
  redis.call('HDEL', KEYS[2], ARGV[1])
elseif not next_due or announced < next_due then
  next_due = announced
end
if next_due then
  redis.call('ZADD', KEYS[1], string.format('%.0f', next_due), ARGV[1])
else
  redis.call('ZREM', KEYS[1], ARGV[1])
end
return 'settled'
