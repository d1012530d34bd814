-- The name of the history of writes that this server's data stands in. Redis gives it a new one whenever a server starts
-- and whenever a replica becomes a master: the two moments at which writes that were answered may have been forgotten.

local function server_lineage()
  local lineage = string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
  if not lineage then error('the server does not say which history its data has') end
  return lineage
end
