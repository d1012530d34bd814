-- Announces that an advertiser has to be looked at; the earliest moment stands.
-- KEYS  1 due (ZSET advertiser by ms)  2 announced (HASH advertiser to the latest moment announced, ms)
-- ARGV  1 advertiser  2 due, ms
-- Reply the moment that stands now: the caller may remember it as registered
-- @include "memory"

-- Billing empties a full Redis: it has to be told where to look.
pass_when_full(KEYS[1])
redis.call('ZADD', KEYS[1], 'LT', ARGV[2], ARGV[1])
local announced = redis.call('HGET', KEYS[2], ARGV[1])
if not announced or tonumber(announced) < tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
end
return redis.call('ZSCORE', KEYS[1], ARGV[1])
