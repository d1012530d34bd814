-- Reports whether any follower may still serve data from before a version.
-- KEYS  version, leases, epoch, complete
-- ARGV  version, length of a lease (ms)
-- Reply {code}
-- Codes propagated
--       behind      a live lease is below the version, the snapshot is not complete, or the server may have lost leases
--       lost        the snapshot is older than the version
-- A lease that ends later than a whole lease from now is shortened to that: the clock went back. Its follower stops in time, because
-- it counts the length from before the renewal, by its own clock.

-- @include "time"
-- @include "replication_id"
-- @include "memory"
-- @include "leases"

local version_key, leases, epoch_key, complete_key = unpack(KEYS)
local version, lease_ms = tonumber(ARGV[1]), tonumber(ARGV[2])
local EXPIRED_KEPT_MS, START_MARGIN_MS = 60000, 1000
local now_ms = now_milliseconds()

if tonumber(redis.call('GET', version_key) or 0) < version then return { 'lost' } end
local is_behind = false
local found = redis.call('HGETALL', leases)
for i = 1, #found, 2 do
  local name, applied, expires_ms, renewal = found[i], decode_lease(found[i + 1])
  if expires_ms > now_ms + lease_ms then
    expires_ms = now_ms + lease_ms
    pass_when_full(leases)
    write_lease(leases, name, applied, expires_ms, renewal)
  end
  if expires_ms >= now_ms then
    if applied < version then is_behind = true end
  elseif expires_ms < now_ms - EXPIRED_KEPT_MS then
    redis.call('HDEL', leases, name)
  end
end
-- The server may have lost leases along with the rest of the snapshot.
local complete = (redis.call('GET', epoch_key) or '') .. '|' .. server_replication_id()
if redis.call('GET', complete_key) ~= complete then is_behind = true end
if is_behind then return { 'behind' } end
-- A server that has just restarted may have lost the last renewals: those expire first.
local uptime_s = string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)')
return { uptime_s * 1000 < lease_ms + START_MARGIN_MS and 'behind' or 'propagated' }
