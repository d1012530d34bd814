-- Schedules a visit to a wallet; the earliest time wins.
-- KEYS  due: a sorted set of wallet ids by time (ms),
--       announced: a hash of <wallet_id> to the latest announced time (ms), <wallet_id>:lead to the shortest lead (ms)
-- ARGV  wallet_id, due time (ms), lead: how long before it is due it is announced (ms)
-- Reply {time that is now scheduled: the caller may remember it as registered}

-- @include "time"
-- @include "memory"

local due, announced = unpack(KEYS)
local wallet_id, due_ms, lead_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local lead_field = wallet_id .. ':lead'

-- Billing frees memory of a full Redis, and finds its work by this entry.
pass_when_full(due)
redis.call('ZADD', due, 'LT', integer_text(due_ms), wallet_id)
local known = redis.call('HMGET', announced, wallet_id, lead_field)
local latest_ms, shortest_ms = math.max(known[1] or due_ms, due_ms), math.min(known[2] or lead_ms, lead_ms)
redis.call('HSET', announced, wallet_id, integer_text(latest_ms), lead_field, integer_text(shortest_ms))
return { redis.call('ZSCORE', due, wallet_id) }
