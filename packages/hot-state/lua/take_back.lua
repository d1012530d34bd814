-- Takes back money that a slice of a wallet was granted for a campaign and has not spent, and reads what the slice has to report.
-- The advertiser's own wallet counts that as held until it gets the report.
-- KEYS  account, campaign
-- ARGV  what is taken back: 'nothing' | 'unused' (what open holds need stays) | millicents, at most, also of what open holds need
-- Reply {epoch, seq, revision, granted, spent, held, impressions, day (YYYY-MM-DD), day_spent} (see "slice"), after that
--       {'unknown_wallet'}: the slice lacks the campaign, or must be restored first
-- A repetition finds less, or nothing, to take back.

-- @include "time"
-- @include "replication_id"
-- @include "totals"
-- @include "slice"

local account_key, campaign_key = unpack(KEYS)
local part = ARGV[1]

local found = report(account_key, campaign_key)
if not found then return { 'unknown_wallet' } end
if part == 'nothing' then return found end
take_back(account_key, campaign_key, part)
return report(account_key, campaign_key)
