-- Leases of the snapshot's followers: fields of a hash by the follower's name. A lease is the string applied:expires_ms:renewal,
-- with the version that the follower has applied, and the number of its last renewal. Renewal 0: stands for followers that have
-- lost their leases. Needs "time".

-- Returns applied, expires_ms, renewal.
local function decode_lease(lease)
  local applied, expires_ms, renewal = string.match(lease, '^(%d+):(%d+):(%d+)$')
  return tonumber(applied), tonumber(expires_ms), tonumber(renewal)
end

local function write_lease(leases, name, applied, expires_ms, renewal)
  redis.call('HSET', leases, name, integer_text(applied) .. ':' .. integer_text(expires_ms) .. ':' .. renewal)
end

local LOST_LEASES_PREFIX = 'before:'

-- For followers that may rely on leases that the server has lost, for one more lease.
local function write_lease_for_lost(leases, cause, lease_ms)
  write_lease(leases, LOST_LEASES_PREFIX .. cause, 0, now_milliseconds() + lease_ms, 0)
end
