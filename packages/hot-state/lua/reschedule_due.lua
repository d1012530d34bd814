-- Moves or removes the entry of a visited advertiser, unless it has changed meanwhile.
-- The entry stays until the latest announced time: the announced work may not have arrived yet, and its announcer remembers
-- the announcement and does not repeat it for a while. Until then visits are at most a lead apart, so that work with a short
-- lead does not wait for the latest time. The lead doubles each time only it causes a visit; an announcer that still needs a
-- short one announces it again.
-- KEYS  1 due (ZSET advertiser by ms)
--       2 announced (HASH <advertiser> to the latest announced time, ms; <advertiser>:lead to the shortest lead, ms)
-- ARGV  1 advertiser  2 due time that the caller read, ms  3 next due time, ms, or ''  4 now, ms
-- Reply 'rescheduled' | 'changed'
-- @include "memory"

local due = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not due or tonumber(due) ~= tonumber(ARGV[2]) then
  return 'changed'
end
pass_when_full(KEYS[1])
local lead_field = ARGV[1] .. ':lead'
local known = redis.call('HMGET', KEYS[2], ARGV[1], lead_field)
local announced = tonumber(known[1] or '0')
local next_due = tonumber(ARGV[3]) or math.huge
if announced <= tonumber(due) then
  redis.call('HDEL', KEYS[2], ARGV[1], lead_field)
else
  next_due = math.min(next_due, announced)
  local lead = tonumber(known[2] or next_due)
  local by_lead = math.max(tonumber(due), tonumber(ARGV[4])) + lead
  if by_lead < next_due then
    next_due = by_lead
    redis.call('HSET', KEYS[2], lead_field, string.format('%.0f', lead * 2))
  end
end
if next_due < math.huge then
  redis.call('ZADD', KEYS[1], string.format('%.0f', next_due), ARGV[1])
else
  redis.call('ZREM', KEYS[1], ARGV[1])
end
return 'rescheduled'
