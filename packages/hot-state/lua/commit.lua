-- Charges a match: writes the record to the outbox and keeps what retries need.
-- KEYS  account, campaign, holds, pending, matches, history, shares, outbox, hourly_counts (of the hour),
--       charged (of the match; without match_id: the account's key again)
-- ARGV  operation_id, match_id ('': the oldest unbilled match of the creative), creative_id,
--       scope ('<campaign_id>|<encoded game_id>'), '1': the record names the operation | '', lease_expires_ms ('': not checked),
--       late_impression_ms, match_without_id_ms, hold_ttl_ms, field of the match in `charged`,
--       advertiser_id, game_id as JSON,
--       what the match_id carries ('' four times: nothing): the match's JSON, price, held at (ms), valid-from epoch
-- Reply {'charged', record (JSON)}
--       {'replayed', match_id, recorded_at_ms, price}: this impression was charged before
--       {'refused', code}
--       All are strings without line breaks.
-- Codes lease_expired  the caller's lease has expired, so it may accept keys and games that are no longer valid
--       unknown_wallet  the wallet must be restored first
--       no_match      no unbilled match of this creative, or it is too old, or from before the wallet's valid-from epoch
--       balance, budget, daily_cap  the match exists, but its price no longer fits
-- A match can be billed until its hold lapses or until it is late_impression_ms old, whichever is later; without a match_id
-- only until match_without_id_ms after its hold lapses, if that is sooner. The search skips older matches, because no hold
-- lasts longer than hold_ttl_ms.
-- An open hold still reserves its money, even after its time is over, until it is released: it must only fit a budget or cap
-- that was lowered meanwhile. A lapsed match must fit like a new hold. The campaign's status does not matter.
-- Idempotent by match_id, and by operation_id for 24 h after the charge. The impression id derives from the match id.

-- @include "time"
-- @include "entry"
-- @include "history"
-- @include "charged"
-- @include "replication_id"
-- @include "totals"
-- @include "shares"

local account_key, campaign_key, holds, pending, matches, history, shares, outbox, hourly_counts, charged = unpack(KEYS)
local operation_id, match_id, creative_id, scope, is_keyed, lease_expires_ms = unpack(ARGV)
local late_ms, without_id_ms, hold_ttl_ms = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
local charged_field, advertiser_id, game_json, carried_json, carried_price, held_at_ms, carried_epoch = unpack(ARGV, 10, 16)
local operation_field = 'op:' .. operation_id
local MAX_CANDIDATES = 16

local now_us = now_microseconds()
local now_ms = math.floor(now_us / 1000)

if lease_expires_ms ~= '' and now_ms > tonumber(lease_expires_ms) then return { 'refused', 'lease_expired' } end
local account = read_account(account_key)
local campaign = read_campaign(campaign_key, utc_day(now_ms))
if not account or not campaign then return { 'refused', 'unknown_wallet' } end
local is_remembered, operation_match_id, entry_text, developer_id, short_creative_id =
  recall(account, matches, operation_field, match_id, ':account', pending_prefix(creative_id))
-- A charge has removed the entry.
if match_id ~= '' and not entry_text then
  local recorded_ms, price, hash = read_charge(charged, charged_field, account)
  if hash then
    if is_charge_of(hash, match_id, scope, creative_id) then return { 'replayed', match_id, recorded_ms, price } end
    return { 'refused', 'no_match' }
  end
end
-- An unbilled entry is removed once only the match's id can bill it. So a missing one is fine while that id carries the match
-- and is younger than REMEMBER_MS: an earlier charge would still be found in `charged`, or in the entry.
local is_carried = carried_json ~= '' and carried_epoch == account.matches_valid_from_epoch
  and tonumber(held_at_ms) > now_ms - REMEMBER_MS
if not is_remembered and not is_carried then return { 'refused', 'no_match' } end

-- recovery_epoch shows billing whether the wallet still contains the charge.
local function record_of(id, entry, operation)
  local match = carried_json ~= '' and carried_json
    or match_json(id, entry, advertiser_id, string.match(scope, '^[^|]*'), game_json, developer_id)
  return '{"impression_id":"' .. entry.impression_id .. '"' .. (operation or '') .. ',"creative_id":"' .. entry.creative_id
    .. '","recorded_at_ms":' .. entry.recorded_at_ms .. ',"recovery_epoch":' .. account.epoch .. ',"match":' .. match .. '}'
end

local function replayed(id, entry)
  return { 'replayed', id, entry.recorded_at_ms, entry.price }
end

local function is_too_old(entry)
  local lapses_at_ms = tonumber(entry.lapses_at_ms)
  if lapses_at_ms > now_ms then return false end
  if tonumber(entry.held_at_us) < now_us - late_ms * 1000 then return true end
  return match_id == '' and lapses_at_ms <= now_ms - without_id_ms
end

local function charge_refusal(entry)
  local price = tonumber(entry.price)
  if entry.state ~= 'O' then return hold_refusal(account, campaign, price) end
  if account.spent + price > account.deposited then return 'balance' end
  if campaign.spent + price > campaign.limit then return 'budget' end
  if exceeds_day(campaign, price) then return 'daily_cap' end
  return nil
end

local function charge(id, entry)
  local price, held = tonumber(entry.price), 0
  if entry.state == 'O' then
    held = price
    remove_hold_of(holds, shares, id, scope, entry)
  end
  redis.call('HSET', account_key, 'held', integer_text(account.held - held), 'spent', integer_text(account.spent + price),
    'impressions', integer_text(account.impressions + 1), 'seq', integer_text(account.seq + 1))
  redis.call('HSET', campaign_key, 'held', integer_text(campaign.held - held), 'spent', integer_text(campaign.spent + price),
    'impressions', integer_text(campaign.impressions + 1),
    'day', campaign.day, 'day_spent', integer_text(campaign.day_spent + price))
  remove_pending(pending, id, entry)
  local recorded_ms = recorded_at_ms(campaign, now_ms)
  entry.state, entry.recorded_at_ms = 'C', integer_text(recorded_ms)
  entry.impression_id = 'imp_' .. string.gsub(id, '^mat_', '')
  local record = record_of(id, entry, is_keyed == '1' and ',"operation_id":"' .. operation_id .. '"')
  redis.call('HSET', outbox, entry.impression_id, record)
  count_in_hour(hourly_counts, 's:', game_of(scope))
  if match_id == '' or is_keyed == '1' then
    entry.facts = ''
    redis.call('HSET', matches, id, encode_entry(entry), operation_field, id)
    remember(matches, history, operation_field, now_ms, REMEMBER_MS)
    -- The id may carry the match for 24 h. The entry outlives it, so that the id never charges the match again.
    local due_ms = tonumber(redis.call('ZSCORE', history, id) or 0)
    remember(matches, history, id, now_ms, math.max(due_ms - now_ms, REMEMBER_MS + RETRY_MARGIN_MS))
  else
    redis.call('HDEL', matches, id)
    -- The other matches are members of `history` only while impressions may come more than a day late.
    if not is_carried or late_ms > REMEMBER_MS then redis.call('ZREM', history, id) end
    remember_charge(charged, charged_field, account, recorded_ms, entry.price, charge_hash(id, scope, creative_id))
  end
  return { 'charged', record }
end

if operation_match_id then
  local text = redis.call('HGET', matches, operation_match_id)
  local entry = text and decode_entry(text)
  -- The entry may be kept a little longer than REMEMBER_MS.
  if entry and tonumber(entry.recorded_at_ms) > now_ms - REMEMBER_MS then return replayed(operation_match_id, entry) end
end

if match_id ~= '' then
  local entry = entry_text and decode_entry(entry_text)
  if not entry or entry.state == 'S' then
    if not is_carried then return { 'refused', 'no_match' } end
    entry = lapsed_entry(carried_price, held_at_ms, 0, creative_id, '', '')
  end
  if entry.creative_id ~= creative_id or entry.state == 'X' then return { 'refused', 'no_match' } end
  if entry.state == 'C' then return replayed(match_id, entry) end
  if is_too_old(entry) then return { 'refused', 'no_match' } end
  local refusal = charge_refusal(entry)
  if refusal then return { 'refused', refusal } end
  return charge(match_id, entry)
end

-- The oldest first; if none of those is affordable, the newest, whose money is still held.
local candidates = {}
-- Members without an entry, whose matches late settlements took, are removed: they must not hide others.
local function list(command, first, last)
  local members = redis.call(command, pending, first, last, 'LIMIT', 0, MAX_CANDIDATES)
  if #members < MAX_CANDIDATES then return members end
  local ids, gone = {}, {}
  for i, member in ipairs(members) do ids[i] = select(2, decode_pending(member)) end
  for i, text in ipairs(redis.call('HMGET', matches, unpack(ids))) do
    if not text then gone[#gone + 1] = members[i] end
  end
  if #gone == 0 then return members end
  redis.call('ZREM', pending, unpack(gone))
  return list(command, first, last)
end
local function look_for(prefix)
  local from = '[' .. prefix .. integer_text(now_ms - hold_ttl_ms - without_id_ms)
  local to = '(' .. prefix .. ';'
  local oldest = list('ZRANGEBYLEX', from, to)
  for _, member in ipairs(oldest) do candidates[#candidates + 1] = member end
  if #oldest < MAX_CANDIDATES then return end
  local newest = list('ZREVRANGEBYLEX', to, from)
  for i = #newest, 1, -1 do candidates[#candidates + 1] = newest[i] end
end
-- Members from an earlier version are older.
if pending_prefix(creative_id) ~= creative_id .. ':' then look_for(creative_id .. ':') end
look_for(pending_prefix(creative_id))
local refusal = 'no_match'
for _, member in ipairs(candidates) do
  local held_at_ms, id = decode_pending(member)
  local text = redis.call('HGET', matches, id)
  if text then
    local entry = decode_entry(text)
    if entry.state == 'S' then
      entry = lapsed_entry(entry.price, held_at_ms, entry.hold_ms, short_creative_id or creative_id, entry.session_key,
        facts_of_short(entry, held_at_ms))
    end
    if entry.creative_id == creative_id and not is_too_old(entry) then
      local reason = charge_refusal(entry)
      if not reason then return charge(id, entry) end
      if refusal == 'no_match' then refusal = reason end
    end
  end
end
return { 'refused', refusal }
