-- Moves or removes the entry of a visited wallet, unless it has changed meanwhile.
-- The entry stays until the latest announced time: the announced work may not have arrived yet, and its announcer remembers
-- the announcement and does not repeat it for a while. Until then visits are at most a lead apart, so that work with a short
-- lead does not wait for the latest time. The lead doubles each time only it causes a visit; an announcer that still needs a
-- short one announces it again.
-- KEYS  due, announced (see register_due)
-- ARGV  wallet_id, due time that the caller read (ms), next due time (ms) | '', now (ms)
-- Reply {code}
-- Codes rescheduled
--       changed      an earlier time was registered meanwhile; nothing was changed

-- @include "time"
-- @include "memory"

local due, announced = unpack(KEYS)
local wallet_id, due_ms, next_ms, now_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]) or math.huge, tonumber(ARGV[4])
local lead_field = wallet_id .. ':lead'

if tonumber(redis.call('ZSCORE', due, wallet_id)) ~= due_ms then return { 'changed' } end
pass_when_full(due)
local known = redis.call('HMGET', announced, wallet_id, lead_field)
local announced_ms = tonumber(known[1] or 0)
if announced_ms <= due_ms then
  redis.call('HDEL', announced, wallet_id, lead_field)
else
  next_ms = math.min(next_ms, announced_ms)
  local lead_ms = tonumber(known[2] or next_ms)
  local by_lead_ms = math.max(due_ms, now_ms) + lead_ms
  if by_lead_ms < next_ms then
    next_ms = by_lead_ms
    redis.call('HSET', announced, lead_field, integer_text(lead_ms * 2))
  end
end
if next_ms < math.huge then
  redis.call('ZADD', due, integer_text(next_ms), wallet_id)
else
  redis.call('ZREM', due, wallet_id)
end
return { 'rescheduled' }
