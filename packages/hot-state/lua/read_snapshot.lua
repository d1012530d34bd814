-- What there is of the snapshot.
-- KEYS  1 version  2 epoch  3 complete
-- ARGV  none
-- Reply {version, epoch or '', '1' | '0': completed on this server since it may have forgotten something, lineage}
-- Reads only.

-- @include "lineage"

local epoch = redis.call('GET', KEYS[2]) or ''
local lineage = server_lineage()
local complete = epoch ~= '' and redis.call('GET', KEYS[3]) == epoch .. '|' .. lineage
return { redis.call('GET', KEYS[1]) or '0', epoch, complete and '1' or '0', lineage }
