-- Charges a match: writes the record to the outbox and keeps what retries need.
-- KEYS  account, campaign, holds, pending, matches, history, shares, outbox, hourly_counts (of the hour),
--       charged (of the match; without match_id: the account's key again)
-- ARGV  operation_id ('' only where match_id names the match and the record names no operation),
--       match_id ('': the oldest unbilled match of the creative), creative_id,
--       scope ('<campaign_id>|<encoded game_id>'), '1': the record names the operation | '', lease_expires_ms ('': not checked),
--       late_impression_ms, match_without_id_ms, hold_ttl_ms, field of the match in `charged`,
--       advertiser_id, game_id as JSON,
--       what the match_id carries ('' four times: nothing): the match's JSON, price, held at (ms), valid-from epoch;
--       slice of the advertiser's wallet ('0': the advertiser's own)
-- Reply {'charged', record (JSON; its match is null if the match_id carries it)}
--       {'replayed', match_id, recorded_at_ms, price}: this impression was charged before
--       {'refused', code, '' | price of the match that lacks money, '1': its hold is open | ''}
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
local charged_field, advertiser_id, game_json, carried_json, carried_price, held_at_ms, carried_epoch, slice = unpack(ARGV, 10, 17)
local operation_field = 'op:' .. operation_id
local MAX_CANDIDATES = 16

local now_ms = now_milliseconds()

if lease_expires_ms ~= '' and now_ms > tonumber(lease_expires_ms) then return { 'refused', 'lease_expired', '', '' } end
local account = read_account(account_key)
local campaign = read_campaign(campaign_key, now_ms)
if not account or not campaign then return { 'refused', 'unknown_wallet', '', '' } end
local is_remembered, charged_match_id, entry_text, developer_id, creative_of_short =
  recall(account, matches, operation_field, match_id, ':account', pending_prefix(creative_id))
-- A charge has removed the entry.
if match_id ~= '' and not entry_text then
  local recorded_ms, price, hash = read_charge(charged, charged_field, account)
  if hash then
    if is_charge_of(hash, match_id, scope, creative_id) then return { 'replayed', match_id, recorded_ms, price } end
    return { 'refused', 'no_match', '', '' }
  end
end
-- An unbilled entry is removed once only the match's id can bill it. So a missing one is fine while that id carries the match
-- and is younger than REMEMBER_MS: an earlier charge would still be found in `charged`, or in the entry.
local is_carried = carried_json ~= '' and carried_epoch == account.matches_valid_from_epoch
  and tonumber(held_at_ms) > now_ms - REMEMBER_MS
if not is_remembered and not is_carried then return { 'refused', 'no_match', '', '' } end

if charged_match_id then
  local text = redis.call('HGET', matches, charged_match_id)
  local entry = text and decode_entry(text)
  -- The entry may be kept a little longer than REMEMBER_MS.
  if entry and tonumber(entry.recorded_at_ms) > now_ms - REMEMBER_MS then
    return { 'replayed', charged_match_id, entry.recorded_at_ms, entry.price }
  end
end

-- Why an unbilled match is not charged, or nil.
local function refusal_of(entry)
  if entry.creative_id ~= creative_id then return 'no_match' end
  local lapses_at_ms = tonumber(entry.lapses_at_ms)
  if lapses_at_ms <= now_ms then
    if tonumber(milliseconds(entry.held_at_us)) <= now_ms - late_ms then return 'no_match' end
    if match_id == '' and lapses_at_ms <= now_ms - without_id_ms then return 'no_match' end
  end
  return charge_refusal(account, campaign, tonumber(entry.price), entry.state == 'O')
end

-- Members of `pending`: the creative's oldest, then its newest, whose money is still held; each from old to new.
local function list_candidates()
  local prefix = pending_prefix(creative_id)
  local from, to = '[' .. prefix .. integer_text(now_ms - hold_ttl_ms - without_id_ms), '(' .. prefix .. ';'
  local members = redis.call('ZRANGEBYLEX', pending, from, to, 'LIMIT', 0, MAX_CANDIDATES)
  if #members < MAX_CANDIDATES then return members end
  local newest = redis.call('ZREVRANGEBYLEX', pending, to, from, 'LIMIT', 0, MAX_CANDIDATES)
  for i = #newest, 1, -1 do members[#members + 1] = newest[i] end
  return members
end

-- Removes members whose matches late settlements took, and which would hide others. Returns whether there were any.
local function remove_settled(members)
  local ids, settled = {}, {}
  for i, member in ipairs(members) do ids[i] = select(2, decode_pending(member)) end
  for i, text in ipairs(redis.call('HMGET', matches, unpack(ids))) do
    if not text then settled[#settled + 1] = members[i] end
  end
  return #settled > 0 and redis.call('ZREM', pending, unpack(settled)) > 0
end

-- Whether one match that was refused money needs less than another (nil: none): if that gets none, neither does this one. An open
-- hold counts already.
local function needs_less(one, other)
  if not other or one.state ~= other.state then return not other or one.state == 'O' end
  return tonumber(one.price) < tonumber(other.price)
end

-- Returns match_id and entry of the first candidate that can be charged, or nil, the one that was refused money and needs the
-- least (nil: none) and why.
local function find_candidate()
  local members, refused, refusal = list_candidates(), nil, 'no_match'
  if #members >= MAX_CANDIDATES and remove_settled(members) then return find_candidate() end
  for _, member in ipairs(members) do
    local held_at_ms, id = decode_pending(member)
    local text = redis.call('HGET', matches, id)
    if text then
      local entry = decode_entry(text)
      if entry.state == 'T' then entry = whole_entry(entry, held_at_ms, creative_of_short or creative_id) end
      local reason = refusal_of(entry)
      if not reason then return id, entry end
      if reason ~= 'no_match' and needs_less(entry, refused) then refused, refusal = entry, reason end
    end
  end
  return nil, refused, refusal
end

local id, entry, refusal
if match_id == '' then
  id, entry, refusal = find_candidate()
else
  id, entry = match_id, entry_text and decode_entry(entry_text)
  if is_carried and (not entry or entry.state == 'T') then
    entry = lapsed_entry(carried_price, held_at_ms, 0, creative_id, '', '')
  end
  if not entry or entry.creative_id ~= creative_id or entry.state == 'X' then return { 'refused', 'no_match', '', '' } end
  if entry.state == 'C' then return { 'replayed', match_id, entry.recorded_at_ms, entry.price } end
  refusal = refusal_of(entry)
end
if refusal == 'no_match' then return { 'refused', refusal, '', '' } end
if refusal then return { 'refused', refusal, entry.price, entry.state == 'O' and '1' or '' } end

local match = carried_json ~= '' and carried_json
  or match_json(id, entry, advertiser_id, string.match(scope, '^[^|]*'), game_json, developer_id)
local price, recorded_ms, impression_id = tonumber(entry.price), recorded_at_ms(campaign, now_ms), 'imp_' .. string.sub(id, 5)
-- recovery_epoch shows billing whether the wallet still contains the charge.
local record_until_match = '{"impression_id":"' .. impression_id .. '"'
  .. (is_keyed == '1' and ',"operation_id":"' .. operation_id .. '"' or '')
  .. (slice ~= '0' and ',"wallet_slice":' .. slice or '')
  .. ',"creative_id":"' .. creative_id .. '","recorded_at_ms":' .. integer_text(recorded_ms)
  .. ',"recovery_epoch":' .. account.epoch .. ',"match":'

local held = 0
if entry.state == 'O' then
  held = price
  remove_hold(holds, shares, id, scope, entry.session_key, developer_id, entry.price)
end
redis.call('HSET', account_key, 'held', integer_text(account.held - held), 'spent', integer_text(account.spent + price),
  'impressions', integer_text(account.impressions + 1), 'seq', integer_text(account.seq + 1))
-- A campaign that was created again meanwhile does not count earlier holds.
redis.call('HSET', campaign_key, 'held', integer_text(math.max(campaign.held - held, 0)), 'spent', integer_text(campaign.spent + price),
  'impressions', integer_text(campaign.impressions + 1),
  'day', campaign.day, 'day_spent', integer_text(campaign.day_spent + price))
redis.call('ZREM', pending, pending_member(id, entry))
redis.call('HSET', outbox, impression_id, record_until_match .. match .. '}')
count_in_hour(hourly_counts, 's:', game_of(scope), developer_id)

if match_id == '' or is_keyed == '1' then
  entry.state, entry.recorded_at_ms, entry.impression_id = 'C', integer_text(recorded_ms), impression_id
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
return { 'charged', record_until_match .. (carried_json ~= '' and 'null' or match) .. '}' }
