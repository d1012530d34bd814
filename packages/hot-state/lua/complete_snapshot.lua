-- Marks the snapshot as complete: every entity was published once in this epoch and on this server, so followers may serve.
-- KEYS  1 version  2 epoch  3 complete  4 leases
-- ARGV  1 epoch in which everything was published  2 last published version  3 channel  4 length of a lease, ms
--       5 replication id of the server when publishing began  6 name prefix of earlier leases
-- Reply {'complete'} | {'lost'}: meanwhile the epoch or the server has changed, or the version went backwards
-- @include "time"
-- @include "replication_id"

if server_replication_id() ~= ARGV[5] or redis.call('GET', KEYS[2]) ~= ARGV[1]
  or tonumber(redis.call('GET', KEYS[1]) or '0') < tonumber(ARGV[2]) then
  return { 'lost' }
end
local complete = ARGV[1] .. '|' .. ARGV[5]
local completed = redis.call('GET', KEYS[3])
if completed and completed ~= complete then
  -- The server may have lost leases that followers still rely on.
  local now = math.floor(now_microseconds() / 1000)
  redis.call('HSET', KEYS[4], ARGV[6] .. ARGV[5], '0:' .. integer_text(now + tonumber(ARGV[4])) .. ':0')
end
redis.call('SET', KEYS[3], complete)
redis.call('PUBLISH', ARGV[3], ARGV[2])
return { 'complete' }
