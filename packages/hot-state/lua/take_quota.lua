-- Takes a part of a bucket's remaining requests in the current fixed window. Never grants more than the limit in total.
-- The more instances share a bucket, the smaller the parts: what they leave unused stays a small part of the limit.
-- KEYS  bucket: a hash of window (its number since 1970), used, sharers (instances in this window) and sharers_before
-- ARGV  limit per window, length of a window (ms), number of waiting requests, 1 if it is the instance's first call in
--       this window, otherwise 0
-- Reply {granted, remaining after the grant, ms until the window ends, Unix ms at which it ends}

-- @include "time"

local bucket = KEYS[1]
local limit, window_ms, waiting, arriving = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local MIN_PARTS = 50
local PARTS_PER_SHARER = 4
local KEPT_MS = 1000

local now_ms = now_milliseconds()
local window = math.floor(now_ms / window_ms)
local ends_ms = (window + 1) * window_ms
local known = redis.call('HMGET', bucket, 'window', 'used', 'sharers', 'sharers_before')
local known_window = tonumber(known[1])
local used, sharers, sharers_before = 0, 0, 0
if known_window == window then
  used, sharers, sharers_before = tonumber(known[2]), tonumber(known[3]) or 0, tonumber(known[4]) or 0
elseif known_window == window - 1 then
  sharers_before = tonumber(known[3]) or 0
end
sharers = sharers + arriving

local parts = math.max(MIN_PARTS, PARTS_PER_SHARER * math.max(sharers, sharers_before))
local remaining = math.max(0, limit - used)
local granted = math.min(remaining, math.max(waiting, math.floor(remaining / parts)))
if granted > 0 then
  redis.call('HSET', bucket, 'window', integer_text(window), 'used', integer_text(used + granted),
    'sharers', integer_text(sharers), 'sharers_before', integer_text(sharers_before))
  -- The next window has to know of the sharers only when they are many.
  local kept_ms = parts > MIN_PARTS and window_ms or KEPT_MS
  redis.call('PEXPIRE', bucket, integer_text(ends_ms - now_ms + kept_ms))
end
return { integer_text(granted), integer_text(remaining - granted), integer_text(ends_ms - now_ms), integer_text(ends_ms) }
