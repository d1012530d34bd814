-- Brings a campaign's status, budget and daily cap into the advertiser's wallet; makes a new
-- campaign in a wallet that is there.
-- KEYS  account, campaign
-- ARGV  version, status, budget (millicents), daily_cap (millicents, '': none), then for one that may be new: spent
--       (millicents), impressions, day (YYYY-MM-DD), day_spent (millicents)
-- Reply {code}
-- Codes applied   the wallet has this version
--       older     the wallet has a newer version, nothing was changed
--       unknown_wallet  the wallet has to be restored first, nothing was changed
--       unknown_campaign  it is new and its totals were not given, nothing was changed
-- A newer version takes away the ceiling: the lowered budget has arrived.
-- Idempotent: a version again changes nothing.

-- @include "time"
-- @include "replication_id"
-- @include "totals"

local account_key, campaign_key = KEYS[1], KEYS[2]
local version, status, budget, daily_cap, seed_spent, seed_impressions, seed_day, seed_day_spent = unpack(ARGV)

if not read_account(account_key) then return { 'unknown_wallet' } end
local known = redis.call('HGET', campaign_key, 'version')
if known and tonumber(known) > tonumber(version) then return { 'older' } end
if not known and not seed_spent then return { 'unknown_campaign' } end
if not known then
  -- By the clock of management, which may be ahead: it says what is spent, not which day it is.
  local today = utc_day(math.floor(now_microseconds() / 1000))
  if seed_day > today then seed_day = today end
  redis.call('HSET', campaign_key, 'spent', seed_spent, 'held', '0', 'impressions', seed_impressions,
    'day', seed_day, 'day_spent', seed_day_spent, 'rotation', '0')
end
if not known or tonumber(known) < tonumber(version) then redis.call('HSET', campaign_key, 'ceiling', '') end
redis.call('HSET', campaign_key, 'version', version, 'status', status, 'budget', budget, 'daily_cap', daily_cap)
return { 'applied' }
