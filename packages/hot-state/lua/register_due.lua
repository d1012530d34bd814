-- Schedules a visit to an advertiser; the earliest time wins.
-- KEYS  1 due (ZSET advertiser by ms)  2 announced (HASH advertiser to the latest announced time, ms)
-- ARGV  1 advertiser  2 due, ms
-- Reply the time that is now scheduled: the caller may remember it as registered
-- @include "memory"

-- Billing frees memory of a full Redis, and finds its work by this entry.
pass_when_full(KEYS[1])
redis.call('ZADD', KEYS[1], 'LT', ARGV[2], ARGV[1])
local announced = redis.call('HGET', KEYS[2], ARGV[1])
if not announced or tonumber(announced) < tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
end
return redis.call('ZSCORE', KEYS[1], ARGV[1])
