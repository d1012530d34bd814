-- One step of a follower: returns the next changes after its applied version or, if there are none, renews its lease.
-- Never extends the lease of a follower that lags behind, so a publisher waits for it no longer than one lease.
-- KEYS  1 version  2 epoch  3 complete  4 entities  5 log  6 leases
-- ARGV  1 instance  2 epoch that it follows  3 version that it has applied  4 number of this renewal
--       5 number of its last confirmed renewal, 0 if none  6 length of a lease, ms
--       7 maximum changes in a reply  8 bytes after which a reply ends
-- Reply {'incomplete'}: no snapshot was completed since this server last may have lost writes
--     | {'reload', epoch}: another epoch, or older data than the follower has seen; it must start again from version 0
--     | {'changes', last version in the reply, name, JSON or '' for a removed entity, …}
--     | {'current', expires_ms}: the lease is extended until then
-- A lease is the string applied:expires_ms:renewal.
-- @include "time"
-- @include "replication_id"
-- @include "memory"

local epoch = redis.call('GET', KEYS[2])
if not epoch or redis.call('GET', KEYS[3]) ~= epoch .. '|' .. server_replication_id() then
  return { 'incomplete' }
end
local version = tonumber(redis.call('GET', KEYS[1]) or '0')
local applied = tonumber(ARGV[3])
if epoch ~= ARGV[2] or version < applied then
  return { 'reload', epoch }
end

-- A server that restarted with older data has lost a renewal that it had confirmed.
local confirmed = tonumber(ARGV[5])
if confirmed > 0 then
  local lease = redis.call('HGET', KEYS[6], ARGV[1])
  local renewal = lease and tonumber(string.match(lease, ':(%d+)$'))
  if not renewal or renewal < confirmed then
    return { 'reload', epoch }
  end
end

if applied < version then
  local log = redis.call('ZRANGE', KEYS[5], '(' .. ARGV[3], '+inf', 'BYSCORE', 'LIMIT', 0, ARGV[7], 'WITHSCORES')
  local reply = { 'changes', '' }
  local bytes = 0
  for i = 1, #log, 2 do
    local json = redis.call('HGET', KEYS[4], log[i]) or ''
    reply[#reply + 1] = log[i]
    reply[#reply + 1] = json
    reply[2] = log[i + 1]
    bytes = bytes + #json
    if bytes >= tonumber(ARGV[8]) then
      break
    end
  end
  return reply
end

-- Instances without a lease record no impressions, and recording impressions is how a full Redis frees memory.
pass_when_full(KEYS[6])
local expires = math.floor(now_microseconds() / 1000) + tonumber(ARGV[6])
redis.call('HSET', KEYS[6], ARGV[1], integer_text(version) .. ':' .. integer_text(expires) .. ':' .. ARGV[4])
return { 'current', integer_text(expires) }
