-- How often a player session has been given each creative of the advertiser.
--   <creative_id>    appearances: holds and impressions, without the holds that ended unseen
--   n:<creative_id>  times served: picks the hook, lowered only by a cancelled match
--   touched          when it last got a creative (ms)
--   since            when the counting began (microseconds): older holds have nothing to give back here

local CAP_EXPIRE_MS = 172800000

local function lower_cap_field(cap, field)
  if redis.call('HINCRBY', cap, field, -1) <= 0 then redis.call('HDEL', cap, field) end
end

local function give_back_cap(cap, entry, never_answered)
  local since = redis.call('HGET', cap, 'since')
  if not since or entry.matched_at_us < tonumber(since) then return end
  lower_cap_field(cap, entry.creative_id)
  if never_answered then lower_cap_field(cap, 'n:' .. entry.creative_id) end
end
