-- The entry of a match in the `matches` hash: fields separated by '|'.
--   state            O open, L lapsed (money returned), C charged, X cancelled (only a retried release reads it)
--   price            millicents
--   lapses_at_ms     when the hold lapses
--   matched_at_us    when the hold was taken (microseconds)
--   creative_id, session_key
--   times_seen       how often the session was served the creative before
--   cap_since_us     `since` of the caps that count it: '-' and how long before matched_at_us (microseconds)
--   recorded_at_ms, impression_id   '' until charged
--   facts            what a record adds: user_hash, country_code, campaign_version, revenue_share_basis_points, affinity_score,
--                    matched_at_ms, developer's account_id, affinities ('<affinity_id>:<contribution>,…'); '' if not needed
-- An entry from an earlier version has an absolute cap_since_us and the match's JSON as facts. Needs "time".

local ENTRY_PATTERN = '^([OLCX])|(%d+)|(%d+)|(%d+)|([^|]*)|([^|]*)|(%d+)|([%d-]+)|(%d*)|([^|]*)|(.*)$'
local FACTS_PATTERN = '^([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|([^|]*)|(.*)$'
local MATCH_JSON = '{"match_id":"%s","advertiser_id":"%s","campaign_id":"%s","campaign_version":%s,"game_id":%s,'
  .. '"developer_account_id":"%s","user_hash":"%s","session_key":"%s","country_code":%s,"affinity_score":%s,"affinities":[%s],'
  .. '"price_millicents":%s,"revenue_share_basis_points":%s,"matched_at_ms":%s}'

-- All fields are strings.
local function decode_entry(text)
  local state, price, lapses_at_ms, matched_at_us, creative_id, session_key, times_seen, cap_since_us,
    recorded_at_ms, impression_id, facts = string.match(text, ENTRY_PATTERN)
  if not state then error('match entry is damaged') end
  local before_us = string.match(cap_since_us, '^-(.*)$')
  return {
    state = state,
    price = price,
    lapses_at_ms = lapses_at_ms,
    matched_at_us = matched_at_us,
    creative_id = creative_id,
    session_key = session_key,
    times_seen = times_seen,
    cap_since_us = before_us and whole(matched_at_us - before_us) or cap_since_us,
    recorded_at_ms = recorded_at_ms,
    impression_id = impression_id,
    facts = facts,
  }
end

local function encode_entry(entry)
  return entry.state .. '|' .. entry.price .. '|' .. entry.lapses_at_ms .. '|' .. entry.matched_at_us .. '|'
    .. entry.creative_id .. '|' .. entry.session_key .. '|' .. entry.times_seen .. '|-'
    .. whole(entry.matched_at_us - entry.cap_since_us) .. '|' .. entry.recorded_at_ms .. '|' .. entry.impression_id .. '|'
    .. entry.facts
end

local function is_json(facts)
  return string.sub(facts, 1, 1) == '{'
end

-- '' if unknown. No value in the JSON can contain the first pattern, because its quotes would be escaped.
local function developer_of(facts)
  if is_json(facts) then return string.match(facts, '"developer_account_id":"([^"]*)"') or '' end
  return select(7, string.match(facts, FACTS_PATTERN)) or ''
end

-- The JSON of a match for its record. game_json: the game's id as JSON
local function match_json(match_id, entry, advertiser_id, campaign_id, game_json)
  if is_json(entry.facts) then return entry.facts end
  local user_hash, country, version, share, score, matched_at_ms, account_id, affinities =
    string.match(entry.facts, FACTS_PATTERN)
  return string.format(MATCH_JSON, match_id, advertiser_id, campaign_id, version, game_json, account_id, user_hash,
    entry.session_key, country == '' and 'null' or '"' .. country .. '"', score,
    (string.gsub(affinities, '([^:,]+):([^,]+)', '{"affinity_id":"%1","contribution":%2}')), entry.price, share, matched_at_ms)
end

-- Member of `holds`: everything a release needs, even if the entry has expired.
-- place: '<campaign_id>|<encoded game_id>'; account_id: the developer's, '' in a hold of an earlier version; price: a string
local function hold_member(match_id, place, session_key, account_id, price)
  if account_id ~= '' then session_key = session_key .. '|' .. account_id end
  return match_id .. '|' .. place .. '|' .. session_key .. '|' .. price
end

-- Member of `pending`: sorts by creative, then age, because every time has 16 digits.
local function pending_member(match_id, entry)
  return entry.creative_id .. ':' .. entry.matched_at_us .. ':' .. match_id
end
