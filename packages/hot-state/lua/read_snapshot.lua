-- Reads the state of the snapshot.
-- KEYS  1 version  2 epoch  3 complete
-- ARGV  none
-- Reply {version, epoch or '', '1' | '0': completed since this server last may have lost writes, replication_id}
-- Reads only.

-- @include "replication_id"

local epoch = redis.call('GET', KEYS[2]) or ''
local replication_id = server_replication_id()
local complete = epoch ~= '' and redis.call('GET', KEYS[3]) == epoch .. '|' .. replication_id
return { redis.call('GET', KEYS[1]) or '0', epoch, complete and '1' or '0', replication_id }
