-- Schedules a visit to an advertiser; the earliest time wins.
-- KEYS  1 due (ZSET advertiser by ms)
--       2 announced (HASH <advertiser> to the latest announced time, ms; <advertiser>:lead to the shortest lead, ms)
-- ARGV  1 advertiser  2 due, ms  3 lead: how long before it is due it is announced, ms
-- Reply the time that is now scheduled: the caller may remember it as registered
-- @include "memory"

-- Billing frees memory of a full Redis, and finds its work by this entry.
pass_when_full(KEYS[1])
redis.call('ZADD', KEYS[1], 'LT', ARGV[2], ARGV[1])
local lead_field = ARGV[1] .. ':lead'
local known = redis.call('HMGET', KEYS[2], ARGV[1], lead_field)
if not known[1] or tonumber(known[1]) < tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
end
if not known[2] or tonumber(known[2]) > tonumber(ARGV[3]) then
  redis.call('HSET', KEYS[2], lead_field, ARGV[3])
end
return redis.call('ZSCORE', KEYS[1], ARGV[1])
