-- Brings into the wallet what Postgres knows and the wallet does not: an impression of an earlier epoch that was written after
-- the wallet had been restored, or the end of a charge that Postgres could not take.
-- KEYS  account, campaign, holds, pending, matches, history, shares, settled, charged (of the match)
-- ARGV  epoch that Postgres knows, 'late' | 'reversed', impression_id, match_id, price, day (YYYY-MM-DD),
--       epoch in which it was committed, place ('<campaign_id>|<encoded game_id>'), field of the match in `charged`
-- Reply {code}
-- Codes settled       this has brought the totals in agreement with Postgres
--       known         they agreed without it
--       stale         the wallet is of another epoch: look again
--       unknown_wallet  the wallet has to be restored first
-- A late impression whose match is still unbilled here takes it, so that nobody bills it again. What is settled may pass the
-- budget: nothing is held or charged then until there is room again.
-- Idempotent by kind and impression_id within an epoch; the next restore counts from Postgres anew.

-- @include "time"
-- @include "entry"
-- @include "history"
-- @include "charged"
-- @include "replication_id"
-- @include "totals"
-- @include "shares"

local account_key, campaign_key, holds, pending, matches, history, shares, settled, charged = unpack(KEYS)
local epoch, kind, impression_id, match_id, price, day, committed_in, place, charged_field = unpack(ARGV)
-- What a mark says when money was moved; those of `restore_wallet` say something else.
local MOVED = 'moved'
local now_ms = math.floor(now_microseconds() / 1000)

local account = read_account(account_key)
local campaign = read_campaign(campaign_key, day)
if not account or not campaign then return { 'unknown_wallet' } end
if account.epoch ~= epoch then return { 'stale' } end
local mark = kind == 'reversed' and '-' .. impression_id or impression_id
local told = redis.call('HGET', settled, mark)
if told then return { told == MOVED and 'settled' or 'known' } end

local function move(sign)
  local amount = whole(sign * tonumber(price))
  redis.call('HINCRBY', account_key, 'spent', amount)
  redis.call('HINCRBY', account_key, 'impressions', sign)
  redis.call('HINCRBY', account_key, 'seq', 1)
  redis.call('HINCRBY', campaign_key, 'spent', amount)
  redis.call('HINCRBY', campaign_key, 'impressions', sign)
  if campaign.day == day then
    redis.call('HSET', campaign_key, 'day', day, 'day_spent', whole(campaign.day_spent + sign * tonumber(price)))
  end
end

-- True: it has been charged here already, by a request that was sent again after the wallet had been restored.
local function take_match()
  if read_charge(charged, charged_field, account) then return true end
  local text = remembers_matches(account, matches) and redis.call('HGET', matches, match_id)
  local scope = ANY_SCOPE
  if text then
    local entry = decode_entry(text)
    if entry.state == 'C' then return entry.impression_id == impression_id end
    -- Of a cancelled match no record can be made any more: whoever asks for it is told that there is no such match.
    if entry.state == 'X' then return false end
    if entry.state == 'O' then
      local released = '-' .. entry.price
      remove_hold_of(holds, shares, match_id, place, entry)
      redis.call('HINCRBY', account_key, 'held', released)
      redis.call('HINCRBY', campaign_key, 'held', released)
    end
    redis.call('ZREM', pending, pending_member(match_id, entry))
    redis.call('HDEL', matches, match_id)
    redis.call('ZREM', history, match_id)
    scope = charged_scope(place, entry.creative_id)
  elseif tonumber(committed_in) < tonumber(account.matches_valid_from_epoch) then
    return false
  end
  -- Also of a match that is forgotten here: its id may carry it.
  remember_charge(charged, charged_field, account, now_ms, price, scope)
  return false
end

local function knew()
  redis.call('HSET', settled, mark, '1')
  return { 'known' }
end

redis.call('HSET', settled, mark, MOVED)
if kind == 'late' then
  if take_match() then return knew() end
  move(1)
  return { 'settled' }
end
if committed_in ~= account.epoch and redis.call('HEXISTS', settled, impression_id) == 0 then return knew() end
move(-1)
return { 'settled' }
