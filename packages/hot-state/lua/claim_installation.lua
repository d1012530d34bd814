-- Returns the installation that owns this Redis; claims an unowned Redis for the caller.
-- KEYS  1 id of the installation that owns this Redis
-- ARGV  1 id of the caller's installation
-- Reply id of the owner
-- @include "memory"

local owner = redis.call('GET', KEYS[1])
if owner then return owner end
-- Takes a few bytes, without which billing would not empty a full Redis.
pass_when_full(KEYS[1])
redis.call('SET', KEYS[1], ARGV[1])
return ARGV[1]
