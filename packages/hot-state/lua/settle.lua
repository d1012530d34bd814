-- Settles a difference between Postgres and the wallet: a late charge of an earlier epoch that reached Postgres after the
-- wallet was restored, or the reversal of a charge that was quarantined.
-- KEYS  account, campaign, holds, pending, matches, history, shares, settled, charged (of the match)
-- ARGV  epoch in Postgres, 'late' | 'reversed', impression_id, match_id, price, day (YYYY-MM-DD),
--       epoch of the commit, scope ('<campaign_id>|<encoded game_id>'), field of the match in `charged`, recorded_at_ms ('': unknown)
-- Reply {code}
-- Codes settled         the totals were changed and now agree with Postgres
--       known           the totals already agreed
--       stale           the wallet has another epoch: read it again
--       unknown_wallet  the wallet must be restored first
-- A late charge takes a match that is still unbilled here, so that no request bills it again. Settlement may exceed the budget:
-- nothing is held or charged then until there is room again.
-- Idempotent by kind and impression_id within an epoch; the next restore takes its totals from Postgres. A reversal that finds
-- no charge leaves no mark: its repetition takes back a charge that has come meanwhile.

-- @include "time"
-- @include "entry"
-- @include "history"
-- @include "charged"
-- @include "replication_id"
-- @include "totals"
-- @include "shares"

local account_key, campaign_key, holds, pending, matches, history, shares, settled, charged = unpack(KEYS)
local epoch, kind, impression_id, match_id, price, day, committed_in, scope, charged_field, recorded_ms = unpack(ARGV)
-- Value of a mark whose settlement moved money; marks written by `restore_wallet` have another value.
local MOVED = 'moved'
local now_ms = math.floor(now_microseconds() / 1000)

local account = read_account(account_key)
local campaign = read_campaign(campaign_key, day)
if not account or not campaign then return { 'unknown_wallet' } end
if account.epoch ~= epoch then return { 'stale' } end
local mark = kind == 'reversed' and '-' .. impression_id or impression_id
local recorded = redis.call('HGET', settled, mark)
if recorded == MOVED then return { 'settled' } end
-- A wallet contains every charge of its own epoch, whatever it contained when it was restored.
if kind == 'late' or committed_in ~= account.epoch then
  if recorded then return { 'known' } end
  -- No mark: a retry may still charge the match here.
  if kind == 'reversed' and redis.call('HEXISTS', settled, impression_id) == 0 then return { 'known' } end
end

local function move(sign)
  local amount = integer_text(sign * tonumber(price))
  redis.call('HINCRBY', account_key, 'spent', amount)
  redis.call('HINCRBY', account_key, 'impressions', sign)
  redis.call('HINCRBY', account_key, 'seq', 1)
  redis.call('HINCRBY', campaign_key, 'spent', amount)
  redis.call('HINCRBY', campaign_key, 'impressions', sign)
  if campaign.day == day then
    redis.call('HSET', campaign_key, 'day', day, 'day_spent', integer_text(campaign.day_spent + sign * tonumber(price)))
  end
end

-- True if it was already charged here, by a request that was retried after the wallet was restored.
local function take_match()
  if read_charge(charged, charged_field, account) then return true end
  local text = remembers_matches(account, matches) and redis.call('HGET', matches, match_id)
  local hash = charge_hash(match_id)
  if text then
    local entry = decode_entry(text)
    if entry.state == 'C' then return entry.impression_id == impression_id end
    -- A cancelled match can no longer be charged: requests for it get `no_match`.
    if entry.state == 'X' then return false end
    if entry.state == 'O' then
      local released = '-' .. entry.price
      remove_hold_of(holds, shares, match_id, scope, entry)
      redis.call('HINCRBY', account_key, 'held', released)
      redis.call('HINCRBY', campaign_key, 'held', released)
    end
    -- `pending` may keep the member of a short entry: without the entry it is no match, and a commit or reserve removes it.
    if entry.creative_id then
      remove_pending(pending, match_id, entry)
      hash = charge_hash(match_id, scope, entry.creative_id)
    end
    redis.call('HDEL', matches, match_id)
    redis.call('ZREM', history, match_id)
  elseif tonumber(committed_in) < tonumber(account.matches_valid_from_epoch) then
    return false
  end
  -- Also for a match without an entry: a request may still charge it from its id.
  remember_charge(charged, charged_field, account, tonumber(recorded_ms) or now_ms, price, hash)
  return false
end

redis.call('HSET', settled, mark, MOVED)
if kind == 'late' then
  if take_match() then
    redis.call('HSET', settled, mark, '1')
    return { 'known' }
  end
  move(1)
  return { 'settled' }
end
move(-1)
return { 'settled' }
