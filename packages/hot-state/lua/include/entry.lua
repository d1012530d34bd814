-- The entry of a match in the `matches` hash: fields separated by '|'.
--   state            O open, L lapsed (money returned), C charged, X cancelled (only a retried release reads it)
--   price            millicents
--   lapses_at_ms     when the hold lapses
--   held_at_us       when the hold was taken (microseconds)
--   creative_id, session_key
--   times_seen       how often the session was served the creative before
--   cap_since_us     `since` of the caps that count it: '-' and how long before held_at_us (microseconds)
--   recorded_at_ms, impression_id   '' until charged
--   facts            what a record adds: user_hash, country_code, campaign_version, revenue_share_basis_points, affinity_score,
--                    matched_at_ms, developer's account_id, affinities ('<affinity_id without aff_>:<contribution>,…');
--                    '' if not needed
-- A lapsed match whose id carries it has a short entry, for impressions without that id; its member of `pending` has the rest:
--   'T', price, length of its hold (ms), session_key, facts without the account_id, matched_at_ms counted from when the hold was
--   taken, and each affinity_id without the characters that it shares with the one before: 'A' for none, 'B' for one, …
-- The field `pending_prefix` of a creative with short entries is its creative_id; missing if an earlier version wrote these.
-- The field ':account' is the developer's account_id: all matches of a game have the same.
-- An entry from an earlier version has aff_ in its affinities; or an absolute cap_since_us and the match's JSON as facts. A short
-- one has 'S' and facts in which only the account_id is ''.
-- Needs "time".

local ENTRY_PATTERN = '^([OLCX])|(%d+)|(%d+)|(%d+)|([^|]*)|([^|]*)|(%d+)|([%d-]+)|(%d*)|([^|]*)|(.*)$'
local SHORT_PATTERN = '^([ST])|(%d+)|(%d+)|([^|]*)|(.*)$'
local SHORT_FACTS_PATTERN = '^(' .. string.rep('[^|]*|', 5) .. ')([^|]*)|(.*)$'
local FACTS_PATTERN = '^([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|(.*)$'
local MATCH_JSON = '{"match_id":"%s","advertiser_id":"%s","campaign_id":"%s","campaign_version":%s,"game_id":%s,'
  .. '"developer_account_id":"%s","user_hash":"%s","session_key":"%s","country_code":%s,"affinity_score":%s,"affinities":[%s],'
  .. '"price_millicents":%s,"revenue_share_basis_points":%s,"matched_at_ms":%s}'

-- All fields are strings. A short entry has state 'S', only some of them, and hold_ms; short: its facts are as of 'T'.
local function decode_entry(text)
  local form, short_price, hold_ms, session, short_facts = string.match(text, SHORT_PATTERN)
  if form then
    return { state = 'S', price = short_price, hold_ms = hold_ms, session_key = session, facts = short_facts,
      short = form == 'T' }
  end
  local state, price, lapses_at_ms, held_at_us, creative_id, session_key, times_seen, cap_since_us,
    recorded_at_ms, impression_id, facts = string.match(text, ENTRY_PATTERN)
  if not state then error('match entry is damaged') end
  local before_us = string.match(cap_since_us, '^-(.*)$')
  return {
    state = state,
    price = price,
    lapses_at_ms = lapses_at_ms,
    held_at_us = held_at_us,
    creative_id = creative_id,
    session_key = session_key,
    times_seen = times_seen,
    cap_since_us = before_us and integer_text(held_at_us - before_us) or cap_since_us,
    recorded_at_ms = recorded_at_ms,
    impression_id = impression_id,
    facts = facts,
  }
end

local function encode_entry(entry)
  return entry.state .. '|' .. entry.price .. '|' .. entry.lapses_at_ms .. '|' .. entry.held_at_us .. '|'
    .. entry.creative_id .. '|' .. entry.session_key .. '|' .. entry.times_seen .. '|-'
    .. integer_text(entry.held_at_us - entry.cap_since_us) .. '|' .. entry.recorded_at_ms .. '|' .. entry.impression_id .. '|'
    .. entry.facts
end

local NOTHING_SHARED, MAX_SHARED = 65, 25

local function shorten_affinities(affinities)
  local before = ''
  return (string.gsub(affinities, '([^:,]+):', function(id)
    local shared = 0
    while shared < MAX_SHARED and string.sub(id, 1, shared + 1) == string.sub(before, 1, shared + 1)
      and shared < #id do shared = shared + 1 end
    before = id
    return string.char(NOTHING_SHARED + shared) .. string.sub(id, shared + 1) .. ':'
  end))
end

local function expand_affinities(shortened)
  local before = ''
  return (string.gsub(shortened, '(%u)([^:,]*):', function(shared, rest)
    before = string.sub(before, 1, string.byte(shared) - NOTHING_SHARED) .. rest
    return before .. ':'
  end))
end

local function encode_short_entry(entry)
  local user_hash, country, version, share, score, matched_at_ms, _, affinities = string.match(entry.facts, FACTS_PATTERN)
  local held_at_ms = milliseconds(entry.held_at_us)
  return table.concat({ 'T', entry.price, integer_text(entry.lapses_at_ms - held_at_ms), entry.session_key, user_hash, country,
    version, share, score, integer_text(matched_at_ms - held_at_ms), shorten_affinities(affinities) }, '|')
end

local function facts_of_short(entry, held_at_ms)
  if not entry.short then return entry.facts end
  local own, since_hold_ms, affinities = string.match(entry.facts, SHORT_FACTS_PATTERN)
  return own .. integer_text(held_at_ms + since_hold_ms) .. '||' .. expand_affinities(affinities)
end

-- The entry of a lapsed match, from what its id, or its short entry and its member of `pending`, say.
local function lapsed_entry(price, held_at_ms, hold_ms, creative_id, session_key, facts)
  return {
    state = 'L', price = price, lapses_at_ms = integer_text(held_at_ms + hold_ms), held_at_us = held_at_ms .. '000',
    creative_id = creative_id, session_key = session_key, times_seen = '0', cap_since_us = held_at_ms .. '000',
    recorded_at_ms = '', impression_id = '', facts = facts,
  }
end

local function is_json(facts)
  return string.sub(facts, 1, 1) == '{'
end

-- '' if unknown. No value in the JSON can contain the first pattern, because its quotes would be escaped.
local function developer_of(facts)
  if is_json(facts) then return string.match(facts, '"developer_account_id":"([^"]*)"') or '' end
  return select(7, string.match(facts, FACTS_PATTERN)) or ''
end

local function affinity_json(id, contribution)
  if string.sub(id, 1, 4) ~= 'aff_' then id = 'aff_' .. id end
  return '{"affinity_id":"' .. id .. '","contribution":' .. contribution .. '}'
end

-- The JSON of a match for its record. game_json: the game's id as JSON; developer_id: used if the facts lack it
local function match_json(match_id, entry, advertiser_id, campaign_id, game_json, developer_id)
  if is_json(entry.facts) then return entry.facts end
  local user_hash, country, version, share, score, matched_at_ms, account_id, affinities =
    string.match(entry.facts, FACTS_PATTERN)
  if account_id == '' then account_id = developer_id end
  return string.format(MATCH_JSON, match_id, advertiser_id, campaign_id, version, game_json, account_id, user_hash,
    entry.session_key, country == '' and 'null' or '"' .. country .. '"', score,
    (string.gsub(affinities, '([^:,]+):([^,]+)', affinity_json)), entry.price, share, matched_at_ms)
end

-- Member of `holds`: everything a release needs, even if the entry has expired.
-- scope: '<campaign_id>|<encoded game_id>'; account_id: the developer's, '' in a hold of an earlier version; price: a string
local function hold_member(match_id, scope, session_key, account_id, price)
  if account_id ~= '' then session_key = session_key .. '|' .. account_id end
  return match_id .. '|' .. scope .. '|' .. session_key .. '|' .. price
end

-- Member of `pending`: sorts by creative, then age, because every time has 13 digits. Parts of the ids, so that it has at most 60
-- characters: Redis stores a small sorted set without longer ones compactly.
local CREATIVE_CHARACTERS, MATCH_CHARACTERS = 12, 26

local function pending_prefix(creative_id)
  return string.sub(creative_id, -CREATIVE_CHARACTERS) .. ':'
end

local function pending_member(match_id, entry)
  return pending_prefix(entry.creative_id) .. milliseconds(entry.held_at_us) .. ':' .. string.sub(match_id, -MATCH_CHARACTERS)
end

-- When the hold was taken (ms; microseconds in a member from an earlier version), match_id.
local function decode_pending(member)
  local held_at, name = string.match(member, '^[^:]*:(%d+):(.*)$')
  return held_at, #name == MATCH_CHARACTERS and 'mat_' .. name or name
end

-- Members from an earlier version have the whole ids, and microseconds.
local function add_pending_members(members, match_id, entry)
  members[#members + 1] = pending_member(match_id, entry)
  members[#members + 1] = entry.creative_id .. ':' .. entry.held_at_us .. ':' .. match_id
end

local function remove_pending(pending, match_id, entry)
  local members = {}
  add_pending_members(members, match_id, entry)
  redis.call('ZREM', pending, unpack(members))
end
