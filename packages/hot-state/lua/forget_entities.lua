-- Forgets the versions of removed entities that will not be published again.
-- KEYS  version, entities, row_versions, log, leases
-- ARGV  per entity: name, row version
-- Reply {name of which nothing is left, …}
-- Skips an entity that exists, one with a newer row version, and one whose removal some follower has not applied. A follower
-- without a lease loads everything again, and then drops what the log does not name. One that loads now must have begun after
-- the removal: callers forget only what was removed long ago.

-- @include "time"
-- @include "leases"

local version_key, entities, row_versions, log, leases = unpack(KEYS)

-- Followers page up to the newest change, so that one stays.
local applied_by_all = tonumber(redis.call('GET', version_key) or 0) - 1
for _, lease in ipairs(redis.call('HVALS', leases)) do
  local applied, _, renewal = decode_lease(lease)
  if renewal ~= 0 then applied_by_all = math.min(applied_by_all, applied) end
end

local removed, forgotten = {}, {}
for i = 1, #ARGV, 2 do
  local name, row_version = ARGV[i], tonumber(ARGV[i + 1])
  local known = tonumber(redis.call('HGET', row_versions, name))
  local removed_in = tonumber(redis.call('ZSCORE', log, name) or math.huge)
  local is_removed = known and known <= row_version and removed_in <= applied_by_all
    and redis.call('HEXISTS', entities, name) == 0
  if is_removed then removed[#removed + 1] = name end
  if is_removed or not known then forgotten[#forgotten + 1] = name end
end
if #removed > 0 then
  redis.call('HDEL', row_versions, unpack(removed))
  redis.call('ZREM', log, unpack(removed))
end
return forgotten
