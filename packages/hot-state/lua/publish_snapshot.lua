-- Publishes entities to the snapshot. Every changed entity gets the next version, so that followers can page by version.
-- KEYS  version, epoch, entities, row_versions, log, leases
-- ARGV  epoch to use if there is none, channel that wakes followers, length of a lease (ms), then per entity: name,
--       row version, JSON ('' removes the entity)
-- Reply {version, epoch}
-- Skips an entity whose row version is older than the published one, or equal with the same JSON: publishing twice changes
-- nothing.

-- @include "time"
-- @include "leases"

local version_key, epoch_key, entities, row_versions, log, leases = unpack(KEYS)
local new_epoch, channel, lease_ms = unpack(ARGV, 1, 3)
local FIRST_ENTITY, ARGUMENTS_OF_ENTITY = 4, 3

local epoch = redis.call('GET', epoch_key)
if not epoch then
  epoch = new_epoch
  redis.call('SET', epoch_key, epoch)
  write_lease_for_lost(leases, epoch, lease_ms)
end

local changed = false
for i = FIRST_ENTITY, #ARGV, ARGUMENTS_OF_ENTITY do
  local name, row_version, json = ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 2]
  local published = tonumber(redis.call('HGET', row_versions, name) or -1)
  if row_version > published
    or row_version == published and (redis.call('HGET', entities, name) or '') ~= json then
    redis.call('HSET', row_versions, name, row_version)
    if json == '' then
      redis.call('HDEL', entities, name)
    else
      redis.call('HSET', entities, name, json)
    end
    redis.call('ZADD', log, redis.call('INCR', version_key), name)
    changed = true
  end
end

local version = redis.call('GET', version_key) or '0'
if changed then redis.call('PUBLISH', channel, version) end
return { version, epoch }
