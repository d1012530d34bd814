-- Writes a campaign's status to a slice of a wallet, and takes back what the slice has not spent; creates the campaign if the
-- slice lacks it. Below a lower daily cap also what open holds need: what they may still spend is granted again.
-- KEYS  account, campaign
-- ARGV  version, status, daily_cap (millicents, '': none)
-- Reply as "report_slice", after that; also if the slice has a newer version
-- Idempotent.

-- @include "time"
-- @include "replication_id"
-- @include "totals"
-- @include "slice"

local account_key, campaign_key = unpack(KEYS)
local version, status, daily_cap = unpack(ARGV)

if not read_account(account_key) then return { 'unknown_wallet' } end
local known, earlier_cap, held = unpack(redis.call('HMGET', campaign_key, 'version', 'granted_below', 'held'))
if not known then
  redis.call('HSET', campaign_key, 'budget', 0, 'ceiling', '', 'daily_cap', '', 'spent', 0, 'held', 0, 'impressions', 0,
    'day', utc_day(now_milliseconds()), 'day_spent', 0, 'rotation', 0)
end
local is_cap_lower = false
if not known or tonumber(known) <= tonumber(version) then
  redis.call('HSET', campaign_key, 'version', version, 'status', status, 'granted_below', daily_cap)
  is_cap_lower = daily_cap ~= '' and tonumber(daily_cap) < (tonumber(earlier_cap) or math.huge)
end
return_grant(account_key, campaign_key, is_cap_lower and 0 or tonumber(held or 0))
return report(account_key, campaign_key)
