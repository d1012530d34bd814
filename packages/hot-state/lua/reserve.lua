-- Holds the price of one impression and picks the creative, atomically.
-- KEYS  account, campaign, holds, pending, matches, history, shares, cap, hourly_counts (of the hour)
-- ARGV  match_id, scope ('<campaign_id>|<encoded game_id>'), session_key, campaign_version, price (millicents),
--       hold_ttl_ms, session_started_ms ('': not checked), session_idle_ms, facts of the match (see "entry"),
--       developer's account_id, how long after its hold a match is kept whose id carries it (ms), lifetime of this match's
--       entry (ms; '': its id carries it),
--       the session's earlier ads of the advertiser, when the first of them was admitted (ms; '': not checked),
--       then for each creative: creative_id, max_uses, '1': it may have several lines | ''
-- Reply {'held', creative_id, times_seen, lapses_at_ms, cap_since_ms, valid-from epoch}
--       {'refused', code, cap_since_ms | '', lasts}
--       All are strings without line breaks.
-- Codes unknown_wallet  the wallet must be restored first
--       stale_version  the wallet has a newer version of the campaign than the caller
--       behind         the wallet has an older version than the caller: its settings may allow what the newer ones forbid
--       not_active, balance, budget, daily_cap, creative_cap
--       developer_share  open holds of the developer's account would take more than half of what the campaign has left
-- lasts: what can end a lack of money. ''  the end of a hold;
--       'version'  only a newer version of the campaign (budget);
--       'version <n>'  only a version of the account newer than n (balance);
--       milliseconds  only a newer version of the campaign (daily cap), or the end of the day after this long
-- cap_since_ms: when counting of the applied caps began. Caps that began before the session, by more than half of its idle
--       time, belong to an earlier session: if session_started_ms is given, they are deleted first. If counts of earlier ads
--       were lost (see "cap"), each creative counts all of them.
-- While memory is full the script ends with OOM and holds nothing.
-- Idempotent by match_id, for callers that have not returned the match to a game yet: it gets the same reply again while it has a
-- whole entry, even after its hold ended, and creative_cap with a short one (see "entry"). A cancelled match is held anew.

-- @include "time"
-- @include "entry"
-- @include "history"
-- @include "replication_id"
-- @include "totals"
-- @include "cap"
-- @include "shares"
-- @include "memory"

local account_key, campaign_key, holds, pending, matches, history, shares, cap, hourly_counts = unpack(KEYS)
local match_id, scope, session_key = ARGV[1], ARGV[2], ARGV[3]
local campaign_version, price, hold_ttl_ms = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local session_started_ms, session_idle_ms, facts = tonumber(ARGV[7]), tonumber(ARGV[8]), ARGV[9]
local developer_id, kept_ms, remember_ms = ARGV[10], tonumber(ARGV[11]), tonumber(ARGV[12])
local earlier_ads, earlier_since_ms = ARGV[13], tonumber(ARGV[14])
local FIRST_CREATIVE, ARGUMENTS_OF_CREATIVE = 15, 3
local game = game_of(scope)

local now_us = now_microseconds()
local now_ms = tonumber(milliseconds(now_us))

-- Fields of `cap` that the creatives need, with their values (false: none).
local function read_counts()
  local fields, counts = { 'since', 'base' }, {}
  for i = FIRST_CREATIVE, #ARGV, ARGUMENTS_OF_CREATIVE do
    fields[#fields + 1] = ARGV[i]
    fields[#fields + 1] = 'n:' .. ARGV[i]
  end
  for i, value in ipairs(redis.call('HMGET', cap, unpack(fields))) do counts[fields[i]] = value end
  return counts
end

-- Picks the creative with the fewest appearances among those below their cap; rotates between equal ones. Returns creative_id,
-- appearances, whether it may have several lines.
local function pick_creative(counts, rotation)
  local fewest, equals = math.huge, {}
  for i = FIRST_CREATIVE, #ARGV, ARGUMENTS_OF_CREATIVE do
    local count = tonumber(counts[ARGV[i]] or counts.base or 0)
    if count < tonumber(ARGV[i + 1]) then
      if count < fewest then fewest, equals = count, {} end
      if count == fewest then equals[#equals + 1] = i end
    end
  end
  if #equals == 0 then return nil end
  local i = equals[rotation % #equals + 1]
  return ARGV[i], fewest, ARGV[i + 2] == '1'
end

local counts = read_counts()
local cap_since_us = counts.since

-- Every reply except a new hold. The request prolongs the session whatever its outcome.
local function without_hold(...)
  require_memory(holds)
  if cap_since_us then redis.call('PEXPIRE', cap, integer_text(session_idle_ms)) end
  return { ... }
end

local account = read_account(account_key)
local campaign = read_campaign(campaign_key, now_ms)
if not account or not campaign then return without_hold('refused', 'unknown_wallet', '', '') end

local is_remembered, known = recall(account, matches, match_id)
if known then
  local entry = decode_entry(known)
  if entry.state == 'T' then return without_hold('refused', 'creative_cap', '', '') end
  if entry.state ~= 'X' then
    return without_hold('held', entry.creative_id, entry.times_seen, entry.lapses_at_ms, milliseconds(entry.cap_since_us),
      account.matches_valid_from_epoch)
  end
end

local is_stale = session_started_ms and cap_since_us
  and is_cap_stale(tonumber(cap_since_us), session_started_ms, session_idle_ms)
local is_lost = earlier_since_ms
  and (not cap_since_us or is_stale or is_cap_lost(tonumber(cap_since_us), earlier_since_ms, session_idle_ms))
if is_stale or is_lost then
  require_memory(holds)
  redis.call('DEL', cap)
  counts, cap_since_us = {}, nil
  if is_lost then counts, cap_since_us = { base = earlier_ads }, integer_text(earlier_since_ms) .. '000' end
end
local cap_since_ms = cap_since_us and milliseconds(cap_since_us) or ''

if campaign.version > campaign_version then return without_hold('refused', 'stale_version', cap_since_ms, '') end
if campaign.version < campaign_version then return without_hold('refused', 'behind', cap_since_ms, '') end
if campaign.status ~= 'active' then return without_hold('refused', 'not_active', cap_since_ms, '') end
local refusal = hold_refusal(account, campaign, price)
if refusal then
  return without_hold('refused', refusal, cap_since_ms, lasts(refusal, account, campaign, price, now_ms))
end
local share = read_share(shares, developer_id, game)
if exceeds_share(share, account, campaign, price) then
  return without_hold('refused', 'developer_share', cap_since_ms, '')
end
local creative_id, appearances, rotates_hooks = pick_creative(counts, campaign.rotation)
if not creative_id then return without_hold('refused', 'creative_cap', cap_since_ms, '') end

-- Before any count changes: while a cluster moves the hash slot, creating a deleted key again ends the script (see "history").
if not is_remembered then
  require_memory(holds)
  redis.call('DEL', pending, matches, history)
  redis.call('HSET', matches, ':era', account.matches_valid_from_epoch)
end
local served_field = 'n:' .. creative_id
local times_served = tonumber(counts[served_field] or appearances)
local served = (counts[served_field] or rotates_hooks) and { served_field, integer_text(times_served + 1) } or {}
local entry = {
  state = 'O', price = integer_text(price), lapses_at_ms = integer_text(now_ms + hold_ttl_ms), held_at_us = now_us,
  creative_id = creative_id, session_key = session_key, times_seen = integer_text(times_served),
  cap_since_us = cap_since_us or now_us, recorded_at_ms = '', impression_id = '', facts = facts,
}
-- No write precedes this one without `require_memory`: full memory stops the script here.
redis.call('HSET', cap, 'since', entry.cap_since_us, creative_id, integer_text(appearances + 1), unpack(served))
if counts.base then redis.call('HSET', cap, 'base', counts.base) end
redis.call('PEXPIRE', cap, integer_text(session_idle_ms))
redis.call('HSET', account_key, 'held', integer_text(account.held + price), 'seq', integer_text(account.seq + 1))
redis.call('HSET', campaign_key, 'held', integer_text(campaign.held + price),
  'rotation', integer_text(campaign.rotation + 1))
redis.call('ZADD', holds, entry.lapses_at_ms, hold_member(match_id, scope, session_key, developer_id, entry.price))
count_hold(shares, developer_id, game, share, price)
count_in_hour(hourly_counts, '', game, developer_id)
redis.call('ZADD', pending, 0, pending_member(match_id, entry))
redis.call('HSET', matches, match_id, encode_entry(entry), ':account', developer_id)
keep_matches(pending, matches, history, remember_ms or hold_ttl_ms + kept_ms)
if remember_ms then remember(matches, history, match_id, now_ms, remember_ms) end
trim(pending, matches, history, creative_id, string.byte(match_id, -1), now_ms, hold_ttl_ms, kept_ms)
-- A cancelled match is due soon. Last, because it may empty the key (see "history").
if known and not remember_ms then redis.call('ZREM', history, match_id) end
return { 'held', creative_id, entry.times_seen, entry.lapses_at_ms, milliseconds(entry.cap_since_us),
  account.matches_valid_from_epoch }
