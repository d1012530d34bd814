-- Publishes entities to the snapshot. Every changed entity gets the next version, so that followers can page by version.
-- Skips an entity whose row version is older than the published one, or equal with the same JSON: publishing twice changes
-- nothing.
-- KEYS  1 version  2 epoch  3 entities  4 row-versions  5 log  6 leases
-- ARGV  1 epoch to use if there is none  2 channel that wakes followers  3 length of a lease, ms
--       4 name prefix of earlier leases
--       then per entity: name, row version, JSON ('' removes the entity)
-- Reply {version, epoch}
-- @include "time"

local epoch = redis.call('GET', KEYS[2])
if not epoch then
  epoch = ARGV[1]
  redis.call('SET', KEYS[2], epoch)
  -- Followers of a lost snapshot may rely on their leases, which were lost with it, for one more lease.
  local now = math.floor(now_microseconds() / 1000)
  redis.call('HSET', KEYS[6], ARGV[4] .. epoch, '0:' .. integer_text(now + tonumber(ARGV[3])) .. ':0')
end

local changed = false
for i = 5, #ARGV, 3 do
  local name, row_version, json = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local published = redis.call('HGET', KEYS[4], name)
  local newer = not published or tonumber(row_version) > tonumber(published)
  local same_row = published and tonumber(row_version) == tonumber(published)
  if newer or (same_row and (redis.call('HGET', KEYS[3], name) or '') ~= json) then
    redis.call('HSET', KEYS[4], name, row_version)
    if json == '' then
      redis.call('HDEL', KEYS[3], name)
    else
      redis.call('HSET', KEYS[3], name, json)
    end
    redis.call('ZADD', KEYS[5], redis.call('INCR', KEYS[1]), name)
    changed = true
  end
end

local version = redis.call('GET', KEYS[1]) or '0'
if changed then
  redis.call('PUBLISH', ARGV[2], version)
end
return { version, epoch }
