-- Counts how often a player session was served each creative of the advertiser. Fields of the hash:
--   <creative_id>    appearances: holds and impressions, without holds that ended unseen
--   n:<creative_id>  times served: picks the hook; only a cancelled match lowers it
--   since            when this count began (microseconds): identifies it, so that holds of an earlier count do not lower it

local CAP_LEAST_LIFE_MS = 172800000
local CAP_LIFE_IDLES = 7

-- Caps belong to an earlier session if their count began before this session. A session starts only after no request for the
-- idle time; half of that tolerates clock differences between nodes and requests in flight.
local function is_cap_stale(since_us, session_started_ms, session_idle_ms)
  return math.floor(since_us / 1000) < session_started_ms - session_idle_ms / 2
end

-- Lifetime of caps after their last request: a session may go without this advertiser for a while.
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
