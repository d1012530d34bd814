-- Returns the installation that owns this Redis; claims an unowned Redis for the caller.
-- KEYS  owner
-- ARGV  id of the caller's installation
-- Reply {id of the owner}

-- @include "memory"

local owner_key, own_id = KEYS[1], ARGV[1]

local owner = redis.call('GET', owner_key)
if owner then return { owner } end
-- Takes a few bytes, without which billing would not empty a full Redis.
pass_when_full(owner_key)
redis.call('SET', owner_key, own_id)
return { own_id }
