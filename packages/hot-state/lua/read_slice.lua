-- Reads what a slice of a wallet has to report of a campaign.
-- KEYS  account, campaign
-- Reply {epoch, seq, revision, granted, spent, held, impressions, day (YYYY-MM-DD), day_spent} (see "slice")
--       {'unknown_wallet'}: the slice lacks the campaign, or must be restored first

-- @include "time"
-- @include "replication_id"
-- @include "totals"
-- @include "slice"

return report(KEYS[1], KEYS[2]) or { 'unknown_wallet' }
