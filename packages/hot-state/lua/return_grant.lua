-- Takes back what a slice of a wallet has not spent. The advertiser's own wallet counts it as held until it gets the report.
-- KEYS  account, campaign
-- ARGV  'unused' (what open holds need stays) | 'all' (until money is granted again, open holds cannot be charged)
-- Reply as "read_slice", after that
-- A repetition finds nothing left to return.

-- @include "time"
-- @include "replication_id"
-- @include "totals"
-- @include "slice"

local account_key, campaign_key = unpack(KEYS)

local before = report(account_key, campaign_key)
if not before then return { 'unknown_wallet' } end
return_grant(account_key, campaign_key, ARGV[1] == 'unused' and tonumber(before[6]) or 0)
return report(account_key, campaign_key)
