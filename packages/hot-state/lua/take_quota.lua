-- Takes a part of a bucket's remaining requests in the current fixed window. Never grants more than the limit in total.
-- KEYS  1 bucket (HASH window, used)
-- ARGV  1 limit per window  2 length of a window, ms  3 number of waiting requests
-- Reply {granted, remaining after the grant, ms until the window ends, Unix ms at which it ends}
-- @include "time"

local limit, length = tonumber(ARGV[1]), tonumber(ARGV[2])
local now = math.floor(now_microseconds() / 1000)
local window = math.floor(now / length)
local ends = (window + 1) * length
local used = 0
local known = redis.call('HMGET', KEYS[1], 'window', 'used')
if known[1] and tonumber(known[1]) == window then
  used = tonumber(known[2])
end
local remaining = math.max(0, limit - used)
local granted = math.min(remaining, math.max(tonumber(ARGV[3]), math.floor(remaining / 50)))
if granted > 0 then
  redis.call('HSET', KEYS[1], 'window', integer_text(window), 'used', integer_text(used + granted))
  redis.call('PEXPIRE', KEYS[1], ends - now + 1000)
end
return { granted, remaining - granted, ends - now, ends }
