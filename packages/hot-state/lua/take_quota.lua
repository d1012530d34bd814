-- Takes a chunk of a bucket's remaining requests in the current fixed window. Never grants more than the limit in total.
-- The more instances share a bucket, the smaller the chunks, so that less of them is left unused.
-- KEYS  bucket: a hash of window (its number since 1970), used, instances (that drew in this window) and instances_before
-- ARGV  limit per window, length of a window (ms), number of waiting requests, Unix ms at which the window ends that the
--       instance drew in last, 0 for none
-- Reply {granted, remaining after the grant, ms until the window ends, Unix ms at which it ends}

-- @include "time"

local bucket = KEYS[1]
local limit, window_ms, waiting, drawn_until_ms = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local MIN_CHUNKS = 50
local CHUNKS_PER_INSTANCE = 4
local KEPT_MS = 1000

local now_ms = now_milliseconds()
local window = math.floor(now_ms / window_ms)
local ends_ms = (window + 1) * window_ms
local known = redis.call('HMGET', bucket, 'window', 'used', 'instances', 'instances_before')
local known_window = tonumber(known[1])
local used, instances, instances_before = 0, 0, 0
if known_window == window then
  used, instances, instances_before = tonumber(known[2]), tonumber(known[3]) or 0, tonumber(known[4]) or 0
elseif known_window == window - 1 then
  instances_before = tonumber(known[3]) or 0
end
if drawn_until_ms ~= ends_ms then instances = instances + 1 end

local chunks = math.max(MIN_CHUNKS, CHUNKS_PER_INSTANCE * math.max(instances, instances_before))
local remaining = math.max(0, limit - used)
local granted = math.min(remaining, math.max(waiting, math.floor(remaining / chunks)))
if granted > 0 then
  redis.call('HSET', bucket, 'window', integer_text(window), 'used', integer_text(used + granted),
    'instances', integer_text(instances), 'instances_before', integer_text(instances_before))
  -- The next window has to know the number of instances only when they are many.
  local kept_ms = chunks > MIN_CHUNKS and window_ms or KEPT_MS
  redis.call('PEXPIRE', bucket, integer_text(ends_ms - now_ms + kept_ms))
end
return { integer_text(granted), integer_text(remaining - granted), integer_text(ends_ms - now_ms), integer_text(ends_ms) }
