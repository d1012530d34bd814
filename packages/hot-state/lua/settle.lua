-- Settles a difference between Postgres and the wallet: a late charge of an earlier epoch that reached Postgres after the
-- wallet was restored, or the reversal of a charge that was quarantined.
-- KEYS  account, campaign, holds, pending, matches, history, shares, settled, charged (of the match)
-- ARGV  epoch in Postgres, 'late' | 'reversed', impression_id, match_id, price, day (YYYY-MM-DD),
--       epoch of the commit, scope ('<campaign_id>|<encoded game_id>'), field of the match in `charged`, recorded_at_ms ('': unknown)
-- Reply {code, number of the wallet's slices (only with 'settled' and 'known')}
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
-- Value of a mark whose settlement moved money; other marks have another value.
local MOVED = 'moved'

local account = read_account(account_key)
local campaign_day, campaign_held = unpack(redis.call('HMGET', campaign_key, 'day', 'held'))
if not account or not campaign_day then return { 'unknown_wallet' } end
if account.epoch ~= epoch then return { 'stale' } end
local mark = kind == 'reversed' and '-' .. impression_id or impression_id
local recorded = redis.call('HGET', settled, mark)
if recorded == MOVED then return { 'settled', integer_text(account.slices) } end
-- A wallet contains every charge of its own epoch, whatever it contained when it was restored.
if kind == 'late' or committed_in ~= account.epoch then
  if recorded then return { 'known', integer_text(account.slices) } end
  -- No mark: a retry may still charge the match here.
  if kind == 'reversed' and redis.call('HEXISTS', settled, impression_id) == 0 then
    return { 'known', integer_text(account.slices) }
  end
end

-- So that no request bills the match again.
local function take_match(entry, developer_id)
  local hash = charge_hash(match_id)
  if entry then
    if entry.state == 'O' then
      remove_hold(holds, shares, match_id, scope, entry.session_key, developer_id, entry.price)
      redis.call('HINCRBY', account_key, 'held', '-' .. entry.price)
      -- A campaign that was created again meanwhile does not count earlier holds.
      redis.call('HINCRBY', campaign_key, 'held', integer_text(-math.min(entry.price, campaign_held)))
    end
    -- `pending` may keep the member of a short entry: without the entry it is no match, and a commit or reserve removes it.
    if entry.state ~= 'T' then
      redis.call('ZREM', pending, pending_member(match_id, entry))
      hash = charge_hash(match_id, scope, entry.creative_id)
    end
    redis.call('HDEL', matches, match_id)
    redis.call('ZREM', history, match_id)
  end
  remember_charge(charged, charged_field, account, tonumber(recorded_ms) or now_milliseconds(), price, hash)
end

local sign = 1
if kind == 'reversed' then
  sign = -1
  redis.call('HSET', settled, mark, MOVED)
else
  local _, text, developer_id = recall(account, matches, match_id, ':account')
  local entry = text and decode_entry(text)
  local is_charged = entry and entry.state == 'C'
  -- Charged here, by a request that was retried after the wallet was restored.
  if read_charge(charged, charged_field, account) or is_charged and entry.impression_id == impression_id then
    redis.call('HSET', settled, mark, '1')
    return { 'known', integer_text(account.slices) }
  end
  redis.call('HSET', settled, mark, MOVED)
  -- A match without an entry, too: a request may still charge it from its id. Never a cancelled one.
  local is_void = not entry and tonumber(committed_in) < tonumber(account.matches_valid_from_epoch)
  if not is_void and not is_charged and not (entry and entry.state == 'X') then take_match(entry, developer_id) end
end

local amount = integer_text(sign * price)
redis.call('HINCRBY', account_key, 'spent', amount)
redis.call('HINCRBY', account_key, 'impressions', sign)
redis.call('HINCRBY', account_key, 'seq', 1)
redis.call('HINCRBY', campaign_key, 'spent', amount)
-- What a slice may still spend stays: only the advertiser's own wallet knows what limits leave.
if redis.call('HGET', account_key, 'slices') == '' then
  redis.call('HINCRBY', campaign_key, 'budget', amount)
  redis.call('HINCRBY', campaign_key, 'revision', 1)
end
redis.call('HINCRBY', campaign_key, 'impressions', sign)
if campaign_day == day then redis.call('HINCRBY', campaign_key, 'day_spent', amount) end
if campaign_day < day then redis.call('HSET', campaign_key, 'day', day, 'day_spent', amount) end
return { 'settled', integer_text(account.slices) }
