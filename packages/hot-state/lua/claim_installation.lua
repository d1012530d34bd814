-- Says whose Redis this is; one that is nobody's becomes the caller's.
-- KEYS  1 id of the installation that owns it
-- ARGV  1 id of the caller's
-- Reply id of the owner
-- @include "memory"

local owner = redis.call('GET', KEYS[1])
if owner then return owner end
-- Some bytes, without which billing would not empty a Redis that is full.
pass_when_full(KEYS[1])
redis.call('SET', KEYS[1], ARGV[1])
return ARGV[1]
