-- Writes a campaign's status, budget and daily cap to the advertiser's wallet; creates the campaign if the wallet lacks it.
-- KEYS  account, campaign
-- ARGV  version, status, budget (millicents), daily_cap (millicents, '': none); then, for a campaign that may be new: spent
--       (millicents), impressions, day (YYYY-MM-DD), day_spent (millicents)
-- Reply {code, number of the wallet's slices (only with 'applied')}
-- Codes applied           the wallet has this version
--       older             the wallet has a newer version; nothing was changed
--       unknown_wallet    the wallet must be restored first; nothing was changed
--       unknown_campaign  the campaign is new and its totals were not given; nothing was changed
-- A newer version clears the ceiling: it contains the lowered budget.
-- Idempotent: applying a version again changes nothing.

-- @include "time"
-- @include "replication_id"
-- @include "totals"

local account_key, campaign_key = unpack(KEYS)
local version, status, budget, daily_cap, seed_spent, seed_impressions, seed_day, seed_day_spent = unpack(ARGV)

if not read_account(account_key) then return { 'unknown_wallet' } end
local known = redis.call('HGET', campaign_key, 'version')
if known and tonumber(known) > tonumber(version) then return { 'older' } end
if not known and not seed_spent then return { 'unknown_campaign' } end
if not known then
  -- The day comes from the clock of management, which may be ahead of the clock of Redis.
  local today = utc_day(now_milliseconds())
  if seed_day > today then seed_day = today end
  redis.call('HSET', campaign_key, 'spent', seed_spent, 'held', 0, 'impressions', seed_impressions,
    'day', seed_day, 'day_spent', seed_day_spent, 'rotation', 0)
end
if not known or tonumber(known) < tonumber(version) then redis.call('HSET', campaign_key, 'ceiling', '') end
redis.call('HSET', campaign_key, 'version', version, 'status', status, 'budget', budget, 'daily_cap', daily_cap)
return { 'applied', redis.call('HGET', account_key, 'slices') or '1' }
