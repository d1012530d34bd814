-- Limits a campaign to a budget that is about to be lowered, until a newer version of the campaign arrives.
-- KEYS  account, campaign
-- ARGV  ceiling (millicents, '': none)
-- Reply {'ok', number of the wallet's slices, former ceiling ('': none)} | {'spent', spent (millicents)} | {'unknown_wallet'}
-- Codes ok              from now on spent never exceeds the ceiling
--       spent           more than the ceiling is already spent; nothing was changed
--       unknown_wallet  the wallet lacks the campaign or must be restored first
-- Idempotent: setting the same ceiling again changes nothing.

-- @include "time"
-- @include "replication_id"
-- @include "totals"

local account_key, campaign_key = unpack(KEYS)
local ceiling = ARGV[1]

local spent = redis.call('HGET', campaign_key, 'spent')
if not spent or not read_account(account_key) then return { 'unknown_wallet' } end
if ceiling ~= '' and tonumber(spent) > tonumber(ceiling) then return { 'spent', spent } end
local former = redis.call('HGET', campaign_key, 'ceiling') or ''
redis.call('HSET', campaign_key, 'ceiling', ceiling)
return { 'ok', redis.call('HGET', account_key, 'slices') or '1', former }
