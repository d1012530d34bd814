-- Checks whether a wallet may serve, and freezes it if not: from then on only `restore_wallet` changes its money.
-- KEYS  account, holds, restoring
-- ARGV  epoch in Postgres, name of the caller, lifetime of the caller's claim to restore it (ms),
--       '': only if its epoch is earlier than that | 'sure' (whatever its epoch) | 'always' (also a live one)
-- Reply {'live'}
--       {'busy'}   another caller is restoring it
--       {'ahead'}  its epoch is later than the given one, which may have been read before another restore
--       {'frozen', replication id of the server, epoch | '', seq | '', spent, held, impressions (without what is in other
--        slices), day (YYYY-MM-DD) of the server, sum of the holds, '1': it served until it was frozen | ''}
--       '' twice and zeros: the wallet does not exist
-- A cluster moves the keys of a hash slot one by one: if a node is lost during that, only some keys are left. The sum of the
-- holds shows whether the holds that the account counts exist; reading 2 000 holds takes a millisecond.
-- Every freeze of an existing wallet raises `seq`, so that a restore by an earlier claim, which may still be on its way, has no effect.

-- @include "time"
-- @include "replication_id"
-- @include "memory"

local account_key, holds, restoring = unpack(KEYS)
local epoch, claimant, claim_ms, mode = unpack(ARGV)

-- A total without what is in other slices, which is three fields behind it.
local function own(known, i)
  return integer_text(known[i] - (known[i + 3] or 0))
end

local replication_id = server_replication_id()
local day = utc_day(now_milliseconds())
local known = redis.call('HMGET', account_key, 'version', 'lineage', 'epoch', 'seq', 'spent', 'held', 'impressions',
  'sliced_spent', 'sliced_held', 'sliced_impressions')
local is_live = known[1] and known[2] == replication_id and known[3] == epoch
if is_live and mode ~= 'always' then return { 'live' } end
local owner = redis.call('GET', restoring)
if owner and owner ~= claimant then return { 'busy' } end
if known[1] and known[2] == replication_id and tonumber(known[3]) > tonumber(epoch) and mode == '' then return { 'ahead' } end
-- Nothing frees the memory of a full Redis before wallets serve again.
pass_when_full(account_key)
redis.call('SET', restoring, claimant, 'PX', claim_ms)
if not known[1] then return { 'frozen', replication_id, '', '', '0', '0', '0', day, '0', '' } end
local seq = integer_text(redis.call('HINCRBY', account_key, 'seq', 1))
-- A restore that fails leaves this behind for the next one.
local mark_of_live = 'served until frozen ' .. replication_id
if known[2] == replication_id then redis.call('HSET', account_key, 'lineage', is_live and mark_of_live or '') end
local served = is_live or known[2] == mark_of_live
local holds_sum = 0
for _, member in ipairs(redis.call('ZRANGE', holds, 0, -1)) do
  holds_sum = holds_sum + tonumber(string.match(member, '|(%d+)$') or 0)
end
return { 'frozen', replication_id, known[3], seq, own(known, 5), own(known, 6), own(known, 7), day,
  integer_text(holds_sum), served and '1' or '' }
