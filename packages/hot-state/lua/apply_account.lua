-- Brings an advertiser's deposits into the slot; makes the slot when it is not there.
-- KEYS  account
-- ARGV  version, deposited (millicents), then for a new slot: spent (millicents), impressions
-- Reply {code}
-- Codes applied   the slot has this version
--       older     the slot has a newer version, nothing was changed
-- Idempotent: a version again changes nothing.

-- @include "time"

local account_key = KEYS[1]
local version, deposited, seed_spent, seed_impressions = unpack(ARGV)

local known = redis.call('HGET', account_key, 'version')
if known and tonumber(known) > tonumber(version) then return { 'older' } end
if not known then
  redis.call('HSET', account_key, 'spent', seed_spent, 'held', '0', 'impressions', seed_impressions,
    'epoch', whole(now_microseconds()))
end
redis.call('HSET', account_key, 'version', version, 'deposited', deposited)
return { 'applied' }
