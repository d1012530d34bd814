-- Keeps a campaign below a budget that is about to be lowered, until a newer version of it arrives.
-- KEYS  account, campaign
-- ARGV  ceiling (millicents, '': none)
-- Reply {'ok'} | {'spent', spent (millicents)} | {'unknown_wallet'}
-- Codes ok            from now on spent never passes the ceiling
--       spent         more than the ceiling is spent already, nothing was changed
--       unknown_wallet  the campaign is not there, or the wallet has to be restored first
-- Idempotent: the same ceiling again changes nothing.

-- @include "time"
-- @include "replication_id"
-- @include "totals"

local account_key, campaign_key, ceiling = KEYS[1], KEYS[2], ARGV[1]

local spent = redis.call('HGET', campaign_key, 'spent')
if not spent or not read_account(account_key) then return { 'unknown_wallet' } end
if ceiling ~= '' and tonumber(spent) > tonumber(ceiling) then return { 'spent', spent } end
redis.call('HSET', campaign_key, 'ceiling', ceiling)
return { 'ok' }
