-- Counts how often a player session was served each creative of the advertiser. The hash expires with the session, or earlier if
-- the session goes on without this advertiser. Fields:
--   <creative_id>    appearances: holds and impressions, without holds that ended unseen
--   n:<creative_id>  times served: picks the hook; only a cancelled match lowers it, because a late impression may show that the
--                    session saw the line of a lapsed one. Missing for a creative with one line: equals the appearances
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

local function give_back_cap(cap, entry, never_answered)
  local counted, served = entry.creative_id, 'n:' .. entry.creative_id
  local known = redis.call('HMGET', cap, 'since', counted, served, 'base')
  if known[1] ~= entry.cap_since_us then return end
  local appearances = math.max(tonumber(known[2] or known[4] or 0) - 1, 0)
  local times_served = known[3] and never_answered and redis.call('HINCRBY', cap, served, -1)
  if appearances > 0 or known[4] then
    redis.call('HSET', cap, counted, integer_text(appearances))
    return
  end
  redis.call('HDEL', cap, unpack(times_served == 0 and { counted, served } or { counted }))
  -- While a cluster moves the hash slot, no command may follow the one that empties the key.
  if redis.call('HLEN', cap) == 1 then redis.call('DEL', cap) end
end
