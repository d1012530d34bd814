-- Reads the state of the snapshot.
-- KEYS  version, epoch, complete
-- ARGV  none
-- Reply {version, epoch | '', '1' | '0': completed since this server last may have lost writes, replication_id}
-- Reads only.

-- @include "replication_id"

local version, epoch, complete = unpack(redis.call('MGET', unpack(KEYS)))
local replication_id = server_replication_id()
local is_complete = epoch and complete == epoch .. '|' .. replication_id
return { version or '0', epoch or '', is_complete and '1' or '0', replication_id }
