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
--   state T, price, length of its hold (ms), session_key, facts without the account_id, matched_at_ms counted from when the hold
--   was taken, and each affinity_id without the characters that it shares with the one before: 'A' for none, 'B' for one, …
-- The field `pending_prefix` of a creative with short entries is its creative_id; missing if an earlier version wrote these.
-- The field ':account' is the developer's account_id: all matches of a game have the same.
-- Needs "time".

local ENTRY_PATTERN = '^([OLCX])|(%d+)|(%d+)|(%d+)|([^|]*)|([^|]*)|(%d+)|%-(%-?%d+)|(%d*)|([^|]*)|(.*)$'
local SHORT_PATTERN = '^(T)|(%d+)|(%d+)|([^|]*)|([^|]*|[^|]*|[^|]*|[^|]*|[^|]*|)([^|]*)|(.*)$'
local FACTS_PATTERN = '^([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|(.*)$'

-- All fields are strings. A short entry has only some of them, and others that `whole_entry` needs.
local function decode_entry(text)
  local entry, before_us = {}, nil
  if string.sub(text, 1, 1) == 'T' then
    entry.state, entry.price, entry.hold_ms, entry.session_key, entry.short_facts, entry.matched_after_ms, entry.affinities =
      string.match(text, SHORT_PATTERN)
  else
    entry.state, entry.price, entry.lapses_at_ms, entry.held_at_us, entry.creative_id, entry.session_key, entry.times_seen,
      before_us, entry.recorded_at_ms, entry.impression_id, entry.facts = string.match(text, ENTRY_PATTERN)
  end
  if not entry.state then error('match entry is damaged') end
  entry.cap_since_us = before_us and integer_text(entry.held_at_us - before_us)
  return entry
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
    while shared < MAX_SHARED and shared < #id and string.byte(id, shared + 1) == string.byte(before, shared + 1) do
      shared = shared + 1
    end
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

-- The entry of a lapsed match whose caps no longer count it.
local function lapsed_entry(price, held_at_ms, hold_ms, creative_id, session_key, facts)
  return {
    state = 'L', price = price, lapses_at_ms = integer_text(held_at_ms + hold_ms), held_at_us = held_at_ms .. '000',
    creative_id = creative_id, session_key = session_key, times_seen = '0', cap_since_us = held_at_ms .. '000',
    recorded_at_ms = '', impression_id = '', facts = facts,
  }
end

-- Of a short entry, with what its member of `pending` says.
local function whole_entry(short, held_at_ms, creative_id)
  local matched_at_ms = integer_text(held_at_ms + short.matched_after_ms)
  local facts = short.short_facts .. matched_at_ms .. '||' .. expand_affinities(short.affinities)
  return lapsed_entry(short.price, held_at_ms, short.hold_ms, creative_id, short.session_key, facts)
end

-- The JSON of a match for its record. game_json: the game's id as JSON
local function match_json(match_id, entry, advertiser_id, campaign_id, game_json, account_id)
  local user_hash, country, version, share, score, matched_at_ms, _, affinities = string.match(entry.facts, FACTS_PATTERN)
  local country_json = country == '' and 'null' or '"' .. country .. '"'
  local affinities_json = string.gsub(affinities, '([^:,]+):([^,]+)', '{"affinity_id":"aff_%1","contribution":%2}')
  return string.format('{"match_id":"%s","advertiser_id":"%s","campaign_id":"%s","campaign_version":%s,"game_id":%s,'
    .. '"developer_account_id":"%s","user_hash":"%s","session_key":"%s","country_code":%s,"affinity_score":%s,"affinities":[%s],'
    .. '"price_millicents":%s,"revenue_share_basis_points":%s,"matched_at_ms":%s}',
    match_id, advertiser_id, campaign_id, version, game_json, account_id, user_hash,
    entry.session_key, country_json, score, affinities_json, entry.price, share, matched_at_ms)
end

-- Member of `holds`: everything a release needs, even if the entry has expired.
-- scope: '<campaign_id>|<encoded game_id>'; account_id: the developer's
local function hold_member(match_id, scope, session_key, account_id, price)
  return match_id .. '|' .. scope .. '|' .. session_key .. '|' .. account_id .. '|' .. price
end

-- Member of `pending`: sorts by creative, then age, because every time has 13 digits. Parts of the ids, so that it has at most 60
-- characters: Redis stores a small sorted set without longer ones compactly.
local CREATIVE_CHARACTERS = 12

local function pending_prefix(creative_id)
  return string.sub(creative_id, -CREATIVE_CHARACTERS) .. ':'
end

local function pending_member(match_id, entry)
  return pending_prefix(entry.creative_id) .. milliseconds(entry.held_at_us) .. ':' .. string.sub(match_id, 5)
end

-- Returns when the hold was taken (ms), and match_id.
local function decode_pending(member)
  local held_at_ms, name = string.match(member, '^[^:]*:(%d+):(.*)$')
  return held_at_ms, 'mat_' .. name
end
