-- Rebuilds a frozen wallet from the totals of Postgres and lets it serve again.
-- KEYS  account, holds, settled, restoring, then for every campaign of the advertiser: campaign, shares
-- ARGV  replication_id, epoch, seq, as `freeze_wallet` returned them;
--       'keep' | 'forget' (the holds and matches), new epoch, version, deposited, spent, impressions;
--       number of marks, then the marks: ids of impressions that the totals contain and that may still be settled,
--       with a leading '-' if the totals no longer contain them;
--       then per campaign: version, status, budget, daily_cap | '', spent, impressions, day (YYYY-MM-DD), day_spent
-- Reply {code}
-- Codes restored  the wallet serves in the new epoch
--       changed   the wallet or the server has changed since the freeze: freeze again; nothing was changed
-- Counts the shares of developers again from the kept holds.
-- A campaign or account that is newer in the wallet keeps its settings; an equally new campaign keeps its ceiling.
-- Takes effect at most once: a restored wallet no longer matches epoch and seq.

-- @include "time"
-- @include "replication_id"
-- @include "hold_sums"

-- Only the first four: the keys of a large advertiser do not fit on Lua's stack.
local account_key, holds, settled, restoring = unpack(KEYS, 1, 4)
local replication_id, found_epoch, found_seq, mode, epoch, version, deposited, spent, impressions = unpack(ARGV, 1, 9)
local FIRST_CAMPAIGN_KEY, CAMPAIGN_FIELDS = 5, 8

local current = redis.call('HMGET', account_key, 'epoch', 'seq', 'version', 'lineage')
if replication_id ~= server_replication_id() or current[4] == replication_id or (current[1] or '') ~= found_epoch
  or (current[2] or '') ~= found_seq then
  return { 'changed' }
end

redis.call('DEL', settled)
local number_of_marks, next_argument = tonumber(ARGV[10]), 11
for _ = 1, number_of_marks do
  redis.call('HSET', settled, ARGV[next_argument], '1')
  next_argument = next_argument + 1
end

-- Sums in memory first: one write per hold would block Redis for seconds if there are many.
local sums_by_campaign = mode == 'forget' and {} or sum_holds(holds)
for i = FIRST_CAMPAIGN_KEY, #KEYS, 2 do
  local campaign_key, shares = KEYS[i], KEYS[i + 1]
  redis.call('DEL', shares)
  local sums = sums_by_campaign[string.match(campaign_key, ':campaign:(.*)$')]
  for field, text in pairs(share_texts(sums)) do redis.call('HSET', shares, field, text) end
  local campaign_version, status, budget, daily_cap, campaign_spent, campaign_impressions, day, day_spent =
    unpack(ARGV, next_argument, next_argument + CAMPAIGN_FIELDS - 1)
  next_argument = next_argument + CAMPAIGN_FIELDS
  local known = tonumber(redis.call('HGET', campaign_key, 'version') or -1)
  if known < tonumber(campaign_version) then redis.call('HSET', campaign_key, 'ceiling', '') end
  if known <= tonumber(campaign_version) then
    redis.call('HSET', campaign_key, 'version', campaign_version, 'status', status, 'budget', budget,
      'daily_cap', daily_cap)
  end
  redis.call('HSET', campaign_key, 'spent', campaign_spent, 'impressions', campaign_impressions, 'day', day,
    'day_spent', day_spent)
  -- The campaign may have been created while the wallet was frozen.
  redis.call('HSETNX', campaign_key, 'rotation', 0)
  redis.call('HSETNX', campaign_key, 'held', 0)
  if mode == 'forget' then redis.call('HSET', campaign_key, 'held', 0) end
end

if tonumber(current[3] or -1) <= tonumber(version) then
  redis.call('HSET', account_key, 'version', version, 'deposited', deposited)
end
redis.call('HSET', account_key, 'spent', spent, 'impressions', impressions, 'epoch', epoch, 'lineage', replication_id)
redis.call('HINCRBY', account_key, 'seq', 1)
if mode == 'forget' then
  redis.call('HSET', account_key, 'held', 0, 'era', epoch)
  redis.call('DEL', holds)
end
redis.call('DEL', restoring)
return { 'restored' }
