-- Counts how often a player session was served each creative of the advertiser. The hash expires with the session, or earlier if
-- the session goes on without this advertiser. Fields:
--   <creative_id>    appearances: holds and impressions, without holds that ended unseen
--   n:<creative_id>  times served: picks the hook; only a cancelled match lowers it
--   base             the value of missing counts: the session's earlier ads of the advertiser, if their counts expired; else 0
--   since            when this count began (microseconds): identifies it, so that holds of an earlier count do not lower it
-- Both rules below compare with half of the idle time: the counts end after a whole one, and the rest tolerates clock differences
-- between nodes and requests in flight.

-- The counts belong to an earlier session, because they began before this one.
local function is_cap_stale(since_us, session_started_ms, session_idle_ms)
  return math.floor(since_us / 1000) < session_started_ms - session_idle_ms / 2
end

-- The counts of earlier ads in this session have expired, because the present ones began after the first of these ads.
local function is_cap_lost(since_us, earlier_since_ms, session_idle_ms)
  return math.floor(since_us / 1000) > earlier_since_ms + session_idle_ms / 2
end

local function lower_cap_field(cap, field)
  if redis.call('HINCRBY', cap, field, -1) <= 0 then redis.call('HDEL', cap, field) end
end

local function give_back_cap(cap, entry, never_answered)
  if redis.call('HGET', cap, 'since') ~= entry.cap_since_us then return end
  lower_cap_field(cap, entry.creative_id)
  if never_answered then lower_cap_field(cap, 'n:' .. entry.creative_id) end
end
