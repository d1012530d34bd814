-- One step of a follower: returns the next changes after its applied version or, if there are none, renews its lease.
-- Never extends the lease of a follower that lags behind, so a publisher waits for it no longer than one lease.
-- KEYS  version, epoch, complete, entities, log, leases
-- ARGV  name of the follower, epoch that it follows, version that it has applied, number of this renewal,
--       number of its last confirmed renewal (0: none), length of a lease (ms), maximum changes in a reply,
--       bytes after which a reply ends
-- Reply {'incomplete'}: no snapshot was completed since this server last may have lost writes
--       {'reload', epoch}: another epoch, or older data than the follower has seen; it must start again from version 0
--       {'changes', last version in the reply, name, JSON | '' for a removed entity, …}
--       {'current', expires_ms}: the lease is extended until then

-- @include "time"
-- @include "replication_id"
-- @include "memory"
-- @include "leases"

local version_key, epoch_key, complete_key, entities, log, leases = unpack(KEYS)
local name, followed_epoch, applied, renewal, confirmed_renewal, lease_ms, max_changes, max_bytes = unpack(ARGV)

local epoch = redis.call('GET', epoch_key)
if not epoch or redis.call('GET', complete_key) ~= epoch .. '|' .. server_replication_id() then return { 'incomplete' } end
local version = tonumber(redis.call('GET', version_key) or 0)
if epoch ~= followed_epoch or version < tonumber(applied) then return { 'reload', epoch } end

-- A server that restarted with older data has lost a renewal that it had confirmed.
if confirmed_renewal ~= '0' then
  local lease = redis.call('HGET', leases, name)
  local _, _, known_renewal = decode_lease(lease or '')
  if not known_renewal or known_renewal < tonumber(confirmed_renewal) then return { 'reload', epoch } end
end

if tonumber(applied) < version then
  local changes = redis.call('ZRANGE', log, '(' .. applied, '+inf', 'BYSCORE', 'LIMIT', 0, max_changes, 'WITHSCORES')
  local reply, bytes = { 'changes', '' }, 0
  for i = 1, #changes, 2 do
    local json = redis.call('HGET', entities, changes[i]) or ''
    reply[2] = changes[i + 1]
    reply[#reply + 1] = changes[i]
    reply[#reply + 1] = json
    bytes = bytes + #json
    if bytes >= tonumber(max_bytes) then break end
  end
  return reply
end

-- Instances without a lease record no impressions, and recording impressions is how a full Redis frees memory.
pass_when_full(leases)
local expires_ms = now_milliseconds() + lease_ms
write_lease(leases, name, version, expires_ms, renewal)
return { 'current', integer_text(expires_ms) }
