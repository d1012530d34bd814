-- Ends a hold without a charge and returns its money.
-- KEYS  account, campaign, holds, pending, matches, history, shares, cap, session_release,
--       hourly_counts (of the match's hour; for reason lapsed: the account's key again)
-- ARGV  match_id, reason ('cancelled' | 'lapsed'), scope ('<campaign_id>|<encoded game_id>'), session_key,
--       price (millicents), session_release_value ('<encoded game_id>|<session_key>'),
--       developer's account_id
-- Reply {code}
-- Codes released   the hold has ended for this reason (by this call or an earlier one)
--       not_open   no such hold: never taken, charged, or ended for the other reason
--       not_due    reason lapsed, but the hold's time is not over
--       unknown_wallet  the wallet must be restored first
-- cancelled: nobody saw the response, so the match is removed and the caps are restored.
-- lapsed: the match stays pending (a late impression may bill it), its appearance is released here, and `session_release`
--       records that its session seat, in another hash slot, must still be returned.
-- The money is returned even if the campaign is gone from the wallet.
-- Idempotent by match_id.

-- @include "time"
-- @include "entry"
-- @include "history"
-- @include "cap"
-- @include "replication_id"
-- @include "totals"
-- @include "shares"

local account_key, campaign_key, holds, pending, matches, history, shares, cap, session_release, hourly_counts = unpack(KEYS)
local match_id, reason, scope, session_key, price, session_release_value, developer_id = unpack(ARGV)
local CANCELLED_MS = 600000
local ENDED_FOR = { L = 'lapsed', T = 'lapsed', X = 'cancelled' }
local now_ms = now_milliseconds()

local account = read_account(account_key)
if not account then return { 'unknown_wallet' } end
local campaign_held = tonumber(redis.call('HGET', campaign_key, 'held') or 0)
local _, text = recall(account, matches, match_id)
local entry = text and decode_entry(text)
local lapses_at_ms
if entry then
  if entry.session_key ~= session_key then error('the hold is of another session') end
  if ENDED_FOR[entry.state] == reason then return { 'released' } end
  if entry.state == 'O' then lapses_at_ms = entry.lapses_at_ms end
elseif reason == 'lapsed' then
  -- After billing was stopped for a day the hold may outlive its match: its money is returned all the same.
  lapses_at_ms = redis.call('ZSCORE', holds, hold_member(match_id, scope, session_key, developer_id, price))
end
if not lapses_at_ms then return { 'not_open' } end
if reason == 'lapsed' and tonumber(lapses_at_ms) > now_ms then return { 'not_due' } end

-- Must be the first write: Redis accepts it when memory is full, and then accepts the following writes too.
remove_hold(holds, shares, match_id, scope, session_key, developer_id, price)
local amount = tonumber(price)
redis.call('HINCRBY', account_key, 'held', integer_text(-amount))
redis.call('HINCRBY', account_key, 'seq', 1)
-- A campaign that was created again meanwhile does not count earlier holds.
if campaign_held > 0 then redis.call('HINCRBY', campaign_key, 'held', integer_text(-math.min(amount, campaign_held))) end

if entry then give_back_cap(cap, entry, reason == 'cancelled') end
if reason == 'cancelled' then
  if hourly_counts ~= account_key then uncount_match(hourly_counts, game_of(scope), developer_id) end
  redis.call('ZREM', pending, pending_member(match_id, entry))
  entry.state, entry.facts = 'X', ''
  redis.call('HSET', matches, match_id, encode_entry(entry))
  remember(matches, history, match_id, now_ms, CANCELLED_MS)
  return { 'released' }
end
-- Members of `history` are matches whose ids do not carry them.
if entry and redis.call('ZSCORE', history, match_id) then
  entry.state = 'L'
  redis.call('HSET', matches, match_id, encode_entry(entry))
elseif entry then
  redis.call('HSET', matches, match_id, encode_short_entry(entry), pending_prefix(entry.creative_id), entry.creative_id)
end
redis.call('HSET', session_release, match_id, session_release_value)
return { 'released' }
