-- Redis' name for this server's history of writes. It changes when a server starts and when a replica is promoted: the two
-- events after which acknowledged writes may be lost.

local function server_replication_id()
  local info = redis.call('INFO', 'replication')
  local _, before = string.find(info, 'master_replid:', 1, true)
  local replication_id = before and string.match(info, '^%x+', before + 1)
  if not replication_id then error('the server does not say which history its data has') end
  return replication_id
end
