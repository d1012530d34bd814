-- Lets a slice of a wallet spend what the advertiser's own wallet has granted it.
-- KEYS  account, campaign
-- ARGV  epoch, revision, granted in all (millicents), day (YYYY-MM-DD), part of what is left, as `grant` returned them
-- Reply {code}
-- Codes accepted  the campaign has at least this much
--       void      the slice was restored, or has returned grants, since the grant was made; nothing was changed
-- What is granted counts for the daily cap of its day, so the slice spends it on that day or later, whatever its clock says.
-- Idempotent: an older grant of the same revision is smaller.

-- @include "time"
-- @include "replication_id"
-- @include "totals"
-- @include "slice"

local account_key, campaign_key = unpack(KEYS)
local epoch, revision, granted, day, part_left = unpack(ARGV)

local current = report(account_key, campaign_key)
if not current or current[1] ~= epoch or current[3] ~= revision then return { 'void' } end
redis.call('HSET', campaign_key, 'part_left', part_left)
if day > current[8] then redis.call('HSET', campaign_key, 'day', day, 'day_spent', 0) end
if tonumber(granted) > tonumber(current[4]) then
  redis.call('HSET', campaign_key, 'budget', granted)
  redis.call('HINCRBY', account_key, 'seq', 1)
end
return { 'accepted' }
