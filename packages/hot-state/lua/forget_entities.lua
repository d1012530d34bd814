-- Forgets the versions of removed entities that will not be published again.
-- KEYS  1 version  2 entities  3 row-versions  4 log  5 leases
-- ARGV  per entity: name, row version
-- Reply the names of which nothing is left
-- Skips an entity that exists, one with a newer row version, and one whose removal some follower has not applied. A follower
-- without a lease loads everything again, and then drops what the log does not name. One that loads now must have begun after
-- the removal: callers forget only what was removed long ago.

-- Followers page up to the newest change, so that one stays.
local applied_by_all = tonumber(redis.call('GET', KEYS[1]) or '0') - 1
for _, lease in ipairs(redis.call('HVALS', KEYS[5])) do
  -- A lease with renewal 0 stands for followers that have lost theirs.
  local applied = string.match(lease, '^(%d+):%d+:[^0]')
  if applied then applied_by_all = math.min(applied_by_all, tonumber(applied)) end
end

local names, forgotten = {}, {}
for i = 1, #ARGV, 2 do
  local name = ARGV[i]
  local row_version = redis.call('HGET', KEYS[3], name)
  local removed_in = tonumber(redis.call('ZSCORE', KEYS[4], name) or math.huge)
  local is_removed = row_version and tonumber(row_version) <= tonumber(ARGV[i + 1]) and removed_in <= applied_by_all
    and redis.call('HEXISTS', KEYS[2], name) == 0
  if is_removed then names[#names + 1] = name end
  if is_removed or not row_version then forgotten[#forgotten + 1] = name end
end
if #names > 0 then
  redis.call('HDEL', KEYS[3], unpack(names))
  redis.call('ZREM', KEYS[4], unpack(names))
end
return forgotten
