-- Writes an advertiser's deposits, and the number of its wallet's slices, to the wallet.
-- KEYS  account
-- ARGV  version, deposited (millicents), slices
-- Reply {code}
-- Codes applied         the wallet has this version
--       older           the wallet has a newer version; nothing was changed
--       unknown_wallet  the wallet must be restored first; nothing was changed
-- Idempotent: applying a version again changes nothing.

-- @include "time"
-- @include "replication_id"
-- @include "totals"

local account_key = KEYS[1]
local version, deposited, slices = unpack(ARGV)

local account = read_account(account_key)
if not account then return { 'unknown_wallet' } end
if tonumber(account.version) > tonumber(version) then return { 'older' } end
redis.call('HSET', account_key, 'version', version, 'deposited', deposited, 'slices', slices)
return { 'applied' }
