-- Reports whether any follower may still serve data from before a version.
-- KEYS  1 version  2 leases  3 epoch  4 complete
-- ARGV  1 version  2 length of a lease, ms
-- Reply {'propagated'} | {'behind', number of live leases below the version; at least 1 while the snapshot is not complete}
--     | {'lost'}: the snapshot is older than the version
-- A lease that ends later than a whole lease from now is shortened to that: the clock went back. Its follower stops in time, because
-- it counts the length from before the renewal, by its own clock.
-- @include "time"
-- @include "replication_id"
-- @include "memory"

local wanted = tonumber(ARGV[1])
if tonumber(redis.call('GET', KEYS[1]) or '0') < wanted then
  return { 'lost' }
end
local now, length = math.floor(now_microseconds() / 1000), tonumber(ARGV[2])
local leases = redis.call('HGETALL', KEYS[2])
local behind = 0
for i = 1, #leases, 2 do
  local applied, expires, renewal = string.match(leases[i + 1], '^(%d+):(%d+):(%d+)$')
  if tonumber(expires) > now + length then
    expires = integer_text(now + length)
    pass_when_full(KEYS[2])
    redis.call('HSET', KEYS[2], leases[i], applied .. ':' .. expires .. ':' .. renewal)
  end
  if tonumber(expires) >= now then
    if tonumber(applied) < wanted then
      behind = behind + 1
    end
  elseif tonumber(expires) < now - 60000 then
    redis.call('HDEL', KEYS[2], leases[i])
  end
end
local complete = redis.call('GET', KEYS[4])
if complete ~= (redis.call('GET', KEYS[3]) or '') .. '|' .. server_replication_id() then
  -- The server may have lost leases along with the rest of the snapshot.
  behind = behind + 1
end
if behind == 0 then
  -- A server that has just restarted may have lost the last renewals: wait until those have expired.
  local uptime = string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)')
  if tonumber(uptime) * 1000 < length + 1000 then
    behind = 1
  end
end
if behind > 0 then
  return { 'behind', behind }
end
return { 'propagated' }
