-- Brings an advertiser's deposits into the slot.
-- KEYS  account
-- ARGV  version, deposited (millicents)
-- Reply {code}
-- Codes applied       the slot has this version
--       older         the slot has a newer version, nothing was changed
--       unknown_slot  the slot has to be restored first, nothing was changed
-- Idempotent: a version again changes nothing.

-- @include "time"
-- @include "lineage"
-- @include "totals"

local account_key = KEYS[1]
local version, deposited = unpack(ARGV)

if not read_account(account_key) then return { 'unknown_slot' } end
if tonumber(redis.call('HGET', account_key, 'version')) > tonumber(version) then return { 'older' } end
redis.call('HSET', account_key, 'version', version, 'deposited', deposited)
return { 'applied' }
