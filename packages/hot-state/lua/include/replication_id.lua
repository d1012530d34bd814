-- The name of the history of writes that this server's data stands in. Redis gives it a new one whenever a server starts
-- and whenever a replica becomes a master: the two moments at which writes that were answered may have been forgotten.

local function server_replication_id()
  local info = redis.call('INFO', 'replication')
  local _, before = string.find(info, 'master_replid:', 1, true)
  local replication_id = before and string.match(info, '^%x+', before + 1)
  if not replication_id then error('the server does not say which history its data has') end
  return replication_id
end
