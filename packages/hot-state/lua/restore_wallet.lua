-- Rebuilds a frozen wallet from the totals of Postgres and lets it serve again.
-- KEYS  account, holds, settled, restoring, granted, then for every campaign of the advertiser: campaign, shares, grants
-- ARGV  replication_id, epoch, seq, as `freeze_wallet` returned them;
--       'keep' | 'forget' (the holds and matches), new epoch, version, deposited, spent, impressions, number of the wallet's
--       slices ('': this wallet is a slice, whose budgets are what is reserved for it);
--       number of marks, then the marks: ids of impressions that the totals contain and that may still be settled,
--       with a leading '-' if the totals no longer contain them;
--       then per campaign: version, status, budget, daily_cap | '', spent, impressions, day (YYYY-MM-DD), day_spent,
--       number of slices with kept holds of it, then for each: slice, what is reserved for them, what they hold
-- Reply {code}
-- Codes restored  the wallet serves in the new epoch
--       changed   the wallet or the server has changed since the freeze: freeze again; nothing was changed
-- Counts held money and the shares of developers again from the kept holds. Slices must be frozen: what is reserved for them is
-- all that they are granted.
-- A campaign or account that is newer in the wallet keeps its settings; an equally new campaign keeps its ceiling.
-- Takes effect at most once: a restored wallet no longer matches epoch and seq.

-- @include "time"
-- @include "replication_id"
-- @include "hold_sums"

-- Only the first five: the keys of a large advertiser do not fit on Lua's stack.
local account_key, holds, settled, restoring, granted = unpack(KEYS, 1, 5)
local replication_id, found_epoch, found_seq, mode, epoch, version, deposited, spent, impressions, slices = unpack(ARGV, 1, 10)
local FIRST_CAMPAIGN_KEY, KEYS_OF_CAMPAIGN, CAMPAIGN_FIELDS = 6, 3, 8
local is_slice = slices == ''

local current = redis.call('HMGET', account_key, 'epoch', 'seq', 'version', 'lineage')
if replication_id ~= server_replication_id() or current[4] == replication_id or (current[1] or '') ~= found_epoch
  or (current[2] or '') ~= found_seq then
  return { 'changed' }
end

redis.call('DEL', settled)
local last_mark = 11 + ARGV[11]
for i = 12, last_mark do redis.call('HSET', settled, ARGV[i], '1') end

if mode == 'forget' then redis.call('DEL', holds) end
-- Sums in memory first: one write per hold would block Redis for seconds if there are many.
local sums_by_campaign, held = sum_holds(holds)
local sliced_held, sliced_lack = 0, 0
local next_argument = last_mark + 1
redis.call('DEL', granted)
for i = FIRST_CAMPAIGN_KEY, #KEYS, KEYS_OF_CAMPAIGN do
  local campaign_key, shares, grants = unpack(KEYS, i, i + 2)
  redis.call('DEL', shares, grants)
  local campaign_id = string.match(campaign_key, ':campaign:(.*)$')
  local sums = sums_by_campaign[campaign_id]
  for field, text in pairs(share_texts(sums)) do redis.call('HSET', shares, field, text) end
  local campaign_version, status, budget, daily_cap, campaign_spent, campaign_impressions, day, day_spent =
    unpack(ARGV, next_argument, next_argument + CAMPAIGN_FIELDS - 1)
  next_argument = next_argument + CAMPAIGN_FIELDS
  local known = tonumber(redis.call('HGET', campaign_key, 'version') or -1)
  if known < tonumber(campaign_version) then redis.call('HSET', campaign_key, 'ceiling', '') end
  if known <= tonumber(campaign_version) then
    redis.call('HSET', campaign_key, 'version', campaign_version, 'status', status)
  end
  if known <= tonumber(campaign_version) or is_slice then
    redis.call('HSET', campaign_key, 'budget', budget, 'daily_cap', daily_cap)
  end
  redis.call('HDEL', campaign_key, 'revision', 'sliced_spent', 'sliced_held', 'sliced_impressions', 'sliced_lack')
  local campaign_held, in_slices, lack = sums and sums.total or 0, 0, 0
  for _ = 1, tonumber(ARGV[next_argument]) do
    local slice, reserved, held_in_slice = unpack(ARGV, next_argument + 1, next_argument + 3)
    next_argument = next_argument + 3
    in_slices, lack = in_slices + tonumber(reserved), lack + math.max(held_in_slice - reserved, 0)
    -- As "grant" keeps reports.
    redis.call('HSET', grants, slice, '0|0|' .. reserved .. '|0|' .. held_in_slice .. '|0||0')
  end
  next_argument = next_argument + 1
  if in_slices + lack > 0 then
    redis.call('HSET', campaign_key, 'sliced_spent', 0, 'sliced_held', integer_text(in_slices), 'sliced_impressions', 0,
      'sliced_lack', integer_text(lack))
    redis.call('SADD', granted, campaign_id)
    sliced_held, sliced_lack = sliced_held + in_slices, sliced_lack + lack
  end
  redis.call('HSET', campaign_key, 'spent', campaign_spent, 'held', integer_text(campaign_held + in_slices),
    'impressions', campaign_impressions, 'day', day, 'day_spent', day_spent)
  -- The campaign may have been created while the wallet was frozen.
  redis.call('HSETNX', campaign_key, 'rotation', 0)
end

if tonumber(current[3] or -1) <= tonumber(version) then
  redis.call('HSET', account_key, 'version', version, 'deposited', deposited, 'slices', slices)
end
redis.call('HSET', account_key, 'spent', spent, 'held', integer_text(held + sliced_held), 'impressions', impressions,
  'epoch', epoch, 'lineage', replication_id)
redis.call('HDEL', account_key, 'sliced_spent', 'sliced_held', 'sliced_impressions', 'sliced_lack')
if sliced_held + sliced_lack > 0 then
  redis.call('HSET', account_key, 'sliced_spent', 0, 'sliced_held', integer_text(sliced_held), 'sliced_impressions', 0,
    'sliced_lack', integer_text(sliced_lack))
end
redis.call('HINCRBY', account_key, 'seq', 1)
if mode == 'forget' then redis.call('HSET', account_key, 'era', epoch) end
-- A new slice has no matches to forget.
redis.call('HSETNX', account_key, 'era', epoch)
redis.call('DEL', restoring)
return { 'restored' }
