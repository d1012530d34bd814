-- Ends a hold without a charge and gives its money back.
-- KEYS  account, campaign, holds, pending, matches, history, shares, cap, session_release,
--       matched (of the match's hour; reason lapsed: the account's key again)
-- ARGV  match_id, reason ('cancelled' | 'lapsed'), place ('<campaign_id>|<encoded game_id>'), session_key,
--       price (millicents), session_release_value ('<encoded game_id>|<session_key>'),
--       developer's account_id ('': the hold names none, see "shares")
-- Reply {code}
-- Codes released   the hold has ended this way (by this call or by an earlier one)
--       not_open   there is no such hold: never taken, charged, or ended the other way
--       not_due    reason lapsed, but its time is not over
--       unknown_wallet
-- cancelled: nobody saw the answer, the match is forgotten and the caps are as they were before.
-- A campaign that is gone from the wallet does not keep the advertiser's money.
-- lapsed: the match stays pending (a late impression may bill it), its appearance is given back here, and `session_release`
--       says that its place in the session is still to be given back in the game's wallet.
-- Idempotent by match_id.

-- @include "time"
-- @include "entry"
-- @include "history"
-- @include "cap"
-- @include "replication_id"
-- @include "totals"
-- @include "shares"

local account_key, campaign_key, holds, pending, matches, history, shares, cap, session_release, matched = unpack(KEYS)
local match_id, reason, place, session_key, price, session_release_value, developer_id = unpack(ARGV)
local CANCELLED_MS = 600000
local now_ms = math.floor(now_microseconds() / 1000)

local campaign_held = tonumber(redis.call('HGET', campaign_key, 'held') or 0)

local function free(amount)
  redis.call('HINCRBY', account_key, 'held', whole(-amount))
  redis.call('HINCRBY', account_key, 'seq', 1)
  -- One that was made anew meanwhile does not hold what was held before.
  if campaign_held > 0 then redis.call('HINCRBY', campaign_key, 'held', whole(-math.min(amount, campaign_held))) end
end

local account = read_account(account_key)
if not account then return { 'unknown_wallet' } end

local text = remembers_matches(account, matches) and redis.call('HGET', matches, match_id)
if not text then
  -- A releaser that was unavailable for a day finds the hold, but no longer the match: the money is given back all the same.
  local member = hold_member(match_id, place, session_key, developer_id, price)
  local lapses_at_ms = redis.call('ZSCORE', holds, member)
  if reason ~= 'lapsed' or not lapses_at_ms then return { 'not_open' } end
  if tonumber(lapses_at_ms) > now_ms then return { 'not_due' } end
  remove_hold(holds, shares, developer_id, member, member, game_of(place), tonumber(price))
  free(tonumber(price))
  redis.call('HSET', session_release, match_id, session_release_value)
  return { 'released' }
end

local entry = decode_entry(text)
if entry.session_key ~= session_key then error('the hold is of another session') end
if entry.state == (reason == 'lapsed' and 'L' or 'X') then return { 'released' } end
if entry.state ~= 'O' then return { 'not_open' } end
if reason == 'lapsed' and tonumber(entry.lapses_at_ms) > now_ms then return { 'not_due' } end

-- The first write of all: it passes when memory is full, and lets the others pass.
remove_hold_of(holds, shares, match_id, place, entry)
free(tonumber(entry.price))
give_back_cap(cap, entry, reason == 'cancelled')
if reason == 'lapsed' then
  entry.state = 'L'
  redis.call('HSET', matches, match_id, encode_entry(entry))
  redis.call('HSET', session_release, match_id, session_release_value)
else
  if matched ~= account_key then uncount_match(matched, game_of(place)) end
  redis.call('ZREM', pending, pending_member(match_id, entry))
  entry.state, entry.payload = 'X', ''
  redis.call('HSET', matches, match_id, encode_entry(entry))
  remember(matches, history, match_id, now_ms, CANCELLED_MS)
end
return { 'released' }
