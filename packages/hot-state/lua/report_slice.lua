-- Reads what a slice of a wallet has to report of a campaign, and takes back what it has not spent. The advertiser's own wallet
-- counts that as held until it gets the report.
-- KEYS  account, campaign
-- ARGV  what is taken back: 'nothing' | 'unused' (what open holds need stays) | 'all' (until money is granted again, open holds
--       cannot be charged)
-- Reply {epoch, seq, revision, granted, spent, held, impressions, day (YYYY-MM-DD), day_spent} (see "slice"), after that
--       {'unknown_wallet'}: the slice lacks the campaign, or must be restored first
-- A repetition finds nothing left to take back.

-- @include "time"
-- @include "replication_id"
-- @include "totals"
-- @include "slice"

local account_key, campaign_key = unpack(KEYS)
local returned = ARGV[1]

local found = report(account_key, campaign_key)
if not found then return { 'unknown_wallet' } end
if returned == 'nothing' then return found end
return_grant(account_key, campaign_key, returned == 'unused' and tonumber(found[6]) or 0)
return report(account_key, campaign_key)
