-- Schedules a visit to an advertiser; the earliest time wins.
-- KEYS  due: a sorted set of advertisers by time (ms),
--       announced: a hash of <advertiser> to the latest announced time (ms), <advertiser>:lead to the shortest lead (ms)
-- ARGV  advertiser, due time (ms), lead: how long before it is due it is announced (ms)
-- Reply {time that is now scheduled: the caller may remember it as registered}

-- @include "time"
-- @include "memory"

local due, announced = unpack(KEYS)
local advertiser, due_ms, lead_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local lead_field = advertiser .. ':lead'

-- Billing frees memory of a full Redis, and finds its work by this entry.
pass_when_full(due)
redis.call('ZADD', due, 'LT', integer_text(due_ms), advertiser)
local known = redis.call('HMGET', announced, advertiser, lead_field)
local latest_ms, shortest_ms = math.max(known[1] or due_ms, due_ms), math.min(known[2] or lead_ms, lead_ms)
redis.call('HSET', announced, advertiser, integer_text(latest_ms), lead_field, integer_text(shortest_ms))
return { redis.call('ZSCORE', due, advertiser) }
