-- Takes over what a slice of the wallet reports of a campaign, and grants it money if it needs some. What is granted and not
-- spent is held here.
-- KEYS  account, campaign, grants, granted
-- ARGV  campaign_id, slice, its report (see "slice"): epoch, seq, revision, granted, spent, held, impressions, day, day_spent;
--       needed, wanted (millicents): a grant is at most half of a slice's part of what is free, or what is needed;
--       price of the match that needs it ('0': none, it is only a report), '1': for an open hold, which counts already | ''
-- Reply {'granted', revision, granted in all (millicents), the day (YYYY-MM-DD) that it is granted for,
--        the slice's part of what the campaign has left}
--       {'refused', 'balance' | 'budget' | 'daily_cap', lasts, of the price (see "reserve"), what is missing (millicents), what of
--        that the campaign's own limits lack}: less than needed is left
--       {'reported', by how much what is spent and held exceeds limits (millicents)}: there is no match
--       {'stale'}: the report is of another epoch
--       {'unknown_wallet'}
-- `grants` keeps the newest report of each slice: 'seq|revision|granted|spent|held|impressions|day|day_spent'. `granted` names the
-- campaigns for which slices have money, or lack some.
-- An older report, or the same again, changes nothing, but may be granted more; a grant that never arrives is returned with the
-- next time that money is taken back.

-- @include "time"
-- @include "replication_id"
-- @include "totals"

local account_key, campaign_key, grants, granted_campaigns = unpack(KEYS)
local campaign_id, slice, epoch = ARGV[1], ARGV[2], ARGV[3]
local needed, wanted, price, is_held = tonumber(ARGV[12]), tonumber(ARGV[13]), tonumber(ARGV[14]), ARGV[15] == '1'
local now_ms = now_milliseconds()

local function parse(seq, revision, granted, spent, held, impressions, day, day_spent)
  return { seq = tonumber(seq), revision = tonumber(revision), granted = tonumber(granted), spent = tonumber(spent),
    held = tonumber(held), impressions = tonumber(impressions), day = day, day_spent = tonumber(day_spent) }
end

-- What the slice may still spend.
local function outstanding(report)
  return report.granted - report.spent
end

-- What its open holds need beyond that.
local function lack(report)
  return math.max(report.held - outstanding(report), 0)
end

local account = read_account(account_key)
local campaign = read_campaign(campaign_key, now_ms)
if not account or not campaign then return { 'unknown_wallet' } end
if account.epoch ~= epoch then return { 'stale' } end
local text = redis.call('HGET', grants, slice)
local known = text and parse(string.match(text, '^(%d+)|(%d+)|(-?%d+)|(-?%d+)|(%d+)|(-?%d+)|([^|]*)|(-?%d+)$'))
  or parse('-1', '0', '0', '0', '0', '0', '', '0')
local newest = parse(unpack(ARGV, 4, 11))
if newest.seq < known.seq then
  newest = known
elseif newest.revision == known.revision then
  -- The last grant may not have arrived yet.
  newest.granted = math.max(newest.granted, known.granted)
end

local spent_before = known.day == newest.day and known.day_spent or 0
if newest.day > campaign.day then
  campaign.day, campaign.day_spent = newest.day, 0
  campaign.is_day_far = newest.day > utc_day(now_ms + DAY_MS)
end
if newest.day == campaign.day then campaign.day_spent = campaign.day_spent + newest.day_spent - spent_before end
local spent, impressions = newest.spent - known.spent, newest.impressions - known.impressions
local held_before, lack_before = outstanding(known), lack(known)
for _, totals in ipairs({ account, campaign }) do
  totals.spent, totals.impressions = totals.spent + spent, totals.impressions + impressions
  totals.held, totals.lack = totals.held + outstanding(newest) - held_before, totals.lack + lack(newest) - lack_before
end

local function free_in_campaign(kept)
  local left = campaign.limit - campaign.spent - campaign.held - kept
  if not campaign.daily_cap then return left end
  return math.min(left, campaign.daily_cap - campaign.day_spent - campaign.held - kept)
end

local function free(account_kept, campaign_kept)
  return math.min(account.deposited - account.spent - account.held - account_kept, free_in_campaign(campaign_kept))
end

local granted, refusal = 0, nil
if price > 0 then
  if is_held then
    refusal = grant_refusal(account, campaign, needed, needed)
  else
    -- What the slice lacks for its open holds counts already.
    refusal = hold_refusal(account, campaign, needed - lack(newest))
  end
  if not refusal then
    local part = math.floor(free(account.lack, campaign.lack) / account.slices / 2)
    granted = math.max(needed, math.min(wanted, part))
    local lack_then = lack(newest)
    newest.granted = newest.granted + granted
    for _, totals in ipairs({ account, campaign }) do
      totals.held, totals.lack = totals.held + granted, totals.lack + lack(newest) - lack_then
    end
  end
end

redis.call('HSET', account_key, 'spent', integer_text(account.spent), 'held', integer_text(account.held),
  'impressions', integer_text(account.impressions), 'seq', integer_text(account.seq + 1))
redis.call('HSET', campaign_key, 'spent', integer_text(campaign.spent), 'held', integer_text(campaign.held),
  'impressions', integer_text(campaign.impressions), 'day', campaign.day, 'day_spent', integer_text(campaign.day_spent))
for _, key in ipairs({ account_key, campaign_key }) do
  redis.call('HINCRBY', key, 'sliced_spent', integer_text(spent))
  redis.call('HINCRBY', key, 'sliced_impressions', integer_text(impressions))
  redis.call('HINCRBY', key, 'sliced_held', integer_text(outstanding(newest) - held_before))
  redis.call('HINCRBY', key, 'sliced_lack', integer_text(lack(newest) - lack_before))
end
redis.call('HSET', grants, slice, table.concat({ integer_text(newest.seq), integer_text(newest.revision),
  integer_text(newest.granted), integer_text(newest.spent), integer_text(newest.held), integer_text(newest.impressions), newest.day,
  integer_text(newest.day_spent) }, '|'))
local sliced_held, sliced_lack = unpack(redis.call('HMGET', campaign_key, 'sliced_held', 'sliced_lack'))
local is_granted = sliced_held + sliced_lack > 0
redis.call(is_granted and 'SADD' or 'SREM', granted_campaigns, campaign_id)
if refusal then
  return { 'refused', refusal, lasts(refusal, account, campaign, price, now_ms), integer_text(needed - free(0, 0)),
    integer_text(needed - free_in_campaign(0)) }
end
if price == 0 then return { 'reported', integer_text(math.max(-free(0, 0), 0)) } end
return { 'granted', integer_text(newest.revision), integer_text(newest.granted), campaign.day,
  integer_text(math.floor(what_is_left(account, campaign) / account.slices)) }
