-- Moves or removes the entry of a visited advertiser, unless it has changed meanwhile.
-- The entry stays until the latest announced time: the announced work may not have arrived yet, and its announcer remembers
-- the announcement and does not repeat it for a while.
-- KEYS  1 due (ZSET advertiser by ms)  2 announced (HASH advertiser to the latest announced time, ms)
-- ARGV  1 advertiser  2 due time that the caller read, ms  3 next due time, ms, or ''
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
