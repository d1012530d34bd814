-- Takes over what a slice of the wallet reports of a campaign, and grants it money if it needs some. What is granted and not
-- spent is held here.
-- KEYS  account, campaign, grants, granted
-- ARGV  campaign_id, slice, its report (see "slice"): epoch, seq, revision, granted, spent, impressions, day, day_spent;
--       needed, wanted (millicents; '0' twice: none): a grant is at most half of a slice's part of what is free, or what is needed;
--       price of the match that needs it
-- Reply {'granted', revision, granted in all (millicents), the day (YYYY-MM-DD) that it is granted for,
--        the slice's part of what the campaign has left}
--       {'refused', 'balance' | 'budget' | 'daily_cap', lasts, of the price (see "reserve")}: less than needed is left
--       {'reported'}: nothing was needed
--       {'stale'}: the report is of another epoch
--       {'unknown_wallet'}
-- `grants` keeps the newest report of each slice: 'seq|revision|granted|spent|impressions|day|day_spent'. `granted` names the
-- campaigns for which slices have money.
-- An older report, or the same again, changes nothing, but may be granted more; a grant that never arrives is returned with the
-- next return of the slice.

-- @include "time"
-- @include "replication_id"
-- @include "totals"

local account_key, campaign_key, grants, granted_campaigns = unpack(KEYS)
local campaign_id, slice, epoch = ARGV[1], ARGV[2], ARGV[3]
local needed, wanted, price = tonumber(ARGV[11]), tonumber(ARGV[12]), tonumber(ARGV[13])
local now_ms = now_milliseconds()

local function parse(seq, revision, granted, spent, impressions, day, day_spent)
  return { seq = tonumber(seq), revision = tonumber(revision), granted = tonumber(granted), spent = tonumber(spent),
    impressions = tonumber(impressions), day = day, day_spent = tonumber(day_spent) }
end

-- What the slice may still spend. Late settlements may have made it spend more than it was granted.
local function outstanding(report)
  return math.max(report.granted - report.spent, 0)
end

local account = read_account(account_key)
local campaign = read_campaign(campaign_key, now_ms)
if not account or not campaign then return { 'unknown_wallet' } end
if account.epoch ~= epoch then return { 'stale' } end
local text = redis.call('HGET', grants, slice)
local known = text and parse(string.match(text, '^(%d+)|(%d+)|(-?%d+)|(-?%d+)|(-?%d+)|([^|]*)|(-?%d+)$'))
  or parse('-1', '0', '0', '0', '0', '', '0')
local newest = parse(unpack(ARGV, 4, 10))
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
local held = outstanding(newest) - outstanding(known)
for _, totals in ipairs({ account, campaign }) do
  totals.spent, totals.impressions = totals.spent + spent, totals.impressions + impressions
  totals.held = totals.held + held
end

local granted, refusal = 0, nil
if needed > 0 then
  local left = math.min(account.deposited - account.spent - account.held, campaign.limit - campaign.spent - campaign.held)
  if campaign.daily_cap then left = math.min(left, campaign.daily_cap - campaign.day_spent - campaign.held) end
  refusal = hold_refusal(account, campaign, needed)
  if not refusal then
    granted = math.max(needed, math.min(wanted, math.floor(left / account.slices / 2)))
    newest.granted = math.max(newest.granted, newest.spent) + granted
    account.held, campaign.held = account.held + granted, campaign.held + granted
  end
end

redis.call('HSET', account_key, 'spent', integer_text(account.spent), 'held', integer_text(account.held),
  'impressions', integer_text(account.impressions), 'seq', integer_text(account.seq + 1))
redis.call('HSET', campaign_key, 'spent', integer_text(campaign.spent), 'held', integer_text(campaign.held),
  'impressions', integer_text(campaign.impressions), 'day', campaign.day, 'day_spent', integer_text(campaign.day_spent))
local sliced_held
for _, key in ipairs({ account_key, campaign_key }) do
  redis.call('HINCRBY', key, 'sliced_spent', integer_text(spent))
  redis.call('HINCRBY', key, 'sliced_impressions', integer_text(impressions))
  sliced_held = redis.call('HINCRBY', key, 'sliced_held', integer_text(held + granted))
end
redis.call('HSET', grants, slice, table.concat({ integer_text(newest.seq), integer_text(newest.revision),
  integer_text(newest.granted), integer_text(newest.spent), integer_text(newest.impressions), newest.day,
  integer_text(newest.day_spent) }, '|'))
redis.call(sliced_held > 0 and 'SADD' or 'SREM', granted_campaigns, campaign_id)
if refusal then return { 'refused', refusal, lasts(refusal, account, campaign, price, now_ms) } end
if needed == 0 then return { 'reported' } end
return { 'granted', integer_text(newest.revision), integer_text(newest.granted), campaign.day,
  integer_text(math.floor(what_is_left(account, campaign) / account.slices)) }
