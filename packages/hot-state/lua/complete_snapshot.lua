-- Marks the snapshot as complete: every entity was published once in this epoch and on this server, so followers may serve.
-- KEYS  version, epoch, complete, leases
-- ARGV  epoch in which everything was published, last published version, channel that wakes followers, length of a lease (ms),
--       replication id of the server when publishing began
-- Reply {code}
-- Codes complete
--       lost      meanwhile the epoch or the server has changed, or the version went backwards
-- Idempotent.

-- @include "time"
-- @include "replication_id"
-- @include "leases"
-- @include "memory"

local version_key, epoch_key, complete_key, leases = unpack(KEYS)
local epoch, version, channel, lease_ms, replication_id = unpack(ARGV)

if server_replication_id() ~= replication_id or redis.call('GET', epoch_key) ~= epoch
  or tonumber(redis.call('GET', version_key) or 0) < tonumber(version) then
  return { 'lost' }
end
-- Nothing frees the memory of a full Redis before instances serve again.
pass_when_full(complete_key)
local complete = epoch .. '|' .. replication_id
local known = redis.call('GET', complete_key)
if known and known ~= complete then write_lease_for_lost(leases, replication_id, lease_ms) end
redis.call('SET', complete_key, complete)
redis.call('PUBLISH', channel, version)
return { 'complete' }
