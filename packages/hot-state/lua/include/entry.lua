-- The entry of a match in the `matches` hash: fields separated by '|', the last one is the match's JSON, unchanged.
--   state            O open, L lapsed (money returned), C charged, X cancelled (only a retried release reads it)
--   price            millicents
--   lapses_at_ms     when the hold lapses
--   matched_at_us    when the hold was taken (microseconds)
--   creative_id, session_key
--   times_seen       how often the session was served the creative before
--   cap_since_us     `since` of the caps that count it (microseconds)
--   recorded_at_ms, impression_id   '' until charged

local ENTRY_PATTERN = '^([OLCX])|(%d+)|(%d+)|(%d+)|([^|]*)|([^|]*)|(%d+)|(%d+)|(%d*)|([^|]*)|(.*)$'

-- All fields are strings.
local function decode_entry(text)
  local state, price, lapses_at_ms, matched_at_us, creative_id, session_key, times_seen, cap_since_us,
    recorded_at_ms, impression_id, payload = string.match(text, ENTRY_PATTERN)
  if not state then error('match entry is damaged') end
  return {
    state = state,
    price = price,
    lapses_at_ms = lapses_at_ms,
    matched_at_us = matched_at_us,
    creative_id = creative_id,
    session_key = session_key,
    times_seen = times_seen,
    cap_since_us = cap_since_us,
    recorded_at_ms = recorded_at_ms,
    impression_id = impression_id,
    payload = payload,
  }
end

local function encode_entry(entry)
  return entry.state .. '|' .. entry.price .. '|' .. entry.lapses_at_ms .. '|' .. entry.matched_at_us .. '|'
    .. entry.creative_id .. '|' .. entry.session_key .. '|' .. entry.times_seen .. '|' .. entry.cap_since_us .. '|'
    .. entry.recorded_at_ms .. '|' .. entry.impression_id .. '|' .. entry.payload
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
