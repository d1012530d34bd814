-- How often a player session has been given each creative of the advertiser.
--   <creative_id>    appearances: holds and impressions, without the holds that ended unseen
--   n:<creative_id>  times served: picks the hook, lowered only by a cancelled match
--   since            when the counting began (microseconds): names it; holds of another one have nothing to give back here

local CAP_LEAST_LIFE_MS = 172800000
local CAP_LIFE_IDLES = 7

-- Caps are of an earlier session when the counting began before this one. An earlier session has had no request for the
-- idle time when the next one starts; half of it is left to clocks that differ between nodes, and to requests on their way.
local function is_cap_stale(since_us, session_started_ms, session_idle_ms)
  return math.floor(since_us / 1000) < session_started_ms - session_idle_ms / 2
end

-- How long caps are kept after the last request for them: a living session may do without this advertiser for a while.
local function cap_life_ms(session_idle_ms)
  return math.max(CAP_LEAST_LIFE_MS, CAP_LIFE_IDLES * session_idle_ms)
end

local function lower_cap_field(cap, field)
  if redis.call('HINCRBY', cap, field, -1) <= 0 then redis.call('HDEL', cap, field) end
end

local function give_back_cap(cap, entry, never_answered)
  if redis.call('HGET', cap, 'since') ~= entry.cap_since_us then return end
  lower_cap_field(cap, entry.creative_id)
  if never_answered then lower_cap_field(cap, 'n:' .. entry.creative_id) end
end
