-- Looks whether a slot may serve, and stops it when it may not: from then on only `restore_slot` changes its money.
-- KEYS  account
-- ARGV  epoch that Postgres knows
-- Reply {'live'}
--       {'frozen', lineage of the server, epoch | '', seq | '', spent, held, impressions, day (YYYY-MM-DD) of the server}
--       '' twice and zeros: the slot is not there
-- Idempotent.

-- @include "time"
-- @include "lineage"

local account_key, epoch = KEYS[1], ARGV[1]

local lineage = server_lineage()
local day = utc_day(math.floor(now_microseconds() / 1000))
local known = redis.call('HMGET', account_key, 'version', 'lineage', 'epoch', 'seq', 'spent', 'held', 'impressions')
if not known[1] then return { 'frozen', lineage, '', '', '0', '0', '0', day } end
if known[2] == lineage then
  if known[3] == epoch then return { 'live' } end
  redis.call('HSET', account_key, 'lineage', '')
end
return { 'frozen', lineage, known[3], known[4] or '', known[5], known[6], known[7], day }
