-- Takes a part of a bucket's remaining requests in the current fixed window. Never grants more than the limit in total.
-- KEYS  bucket: a hash of window (its number since 1970) and used
-- ARGV  limit per window, length of a window (ms), number of waiting requests
-- Reply {granted, remaining after the grant, ms until the window ends, Unix ms at which it ends}

-- @include "time"

local bucket = KEYS[1]
local limit, window_ms, waiting = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local KEPT_MS = 1000

local now_ms = now_milliseconds()
local window = math.floor(now_ms / window_ms)
local ends_ms = (window + 1) * window_ms
local known = redis.call('HMGET', bucket, 'window', 'used')
local used = tonumber(known[1]) == window and tonumber(known[2]) or 0
local remaining = math.max(0, limit - used)
local granted = math.min(remaining, math.max(waiting, math.floor(remaining / 50)))
if granted > 0 then
  redis.call('HSET', bucket, 'window', integer_text(window), 'used', integer_text(used + granted))
  redis.call('PEXPIRE', bucket, integer_text(ends_ms - now_ms + KEPT_MS))
end
return { integer_text(granted), integer_text(remaining - granted), integer_text(ends_ms - now_ms), integer_text(ends_ms) }
