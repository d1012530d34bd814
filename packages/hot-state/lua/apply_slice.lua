-- Writes a campaign's status to a slice of a wallet, and takes back what was granted under earlier limits, but for what open holds
-- need; creates the campaign if the slice lacks it.
-- KEYS  account, campaign
-- ARGV  version, status
-- Reply as "take_back", after that; also if the slice has a newer version
-- Idempotent.

-- @include "time"
-- @include "replication_id"
-- @include "totals"
-- @include "slice"

local account_key, campaign_key = unpack(KEYS)
local version, status = unpack(ARGV)

if not read_account(account_key) then return { 'unknown_wallet' } end
local known = redis.call('HGET', campaign_key, 'version')
if not known then
  redis.call('HSET', campaign_key, 'budget', 0, 'ceiling', '', 'daily_cap', '', 'spent', 0, 'held', 0, 'impressions', 0,
    'day', utc_day(now_milliseconds()), 'day_spent', 0, 'rotation', 0)
end
if not known or tonumber(known) <= tonumber(version) then
  redis.call('HSET', campaign_key, 'version', version, 'status', status)
end
take_back(account_key, campaign_key, 'unused')
return report(account_key, campaign_key)
