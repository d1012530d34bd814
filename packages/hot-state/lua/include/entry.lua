-- The entry of a match in the `matches` hash: fields divided by '|', the last one is the match's JSON as it came.
--   state            O open, L lapsed (money given back), C charged, X cancelled (only a re-sent release looks at it)
--   price            millicents
--   lapses_at_ms     when the hold lapses
--   matched_at_us    when it was taken (microseconds)
--   creative_id, session_key
--   times_seen       how often the session had been served the creative before
--   cap_since_us     since when the caps are counted that it stands in (microseconds)
--   recorded_at_ms, impression_id   '' until charged

local ENTRY_PATTERN = '^([OLCX])|(%d+)|(%d+)|(%d+)|([^|]*)|([^|]*)|(%d+)|(%d+)|(%d*)|([^|]*)|(.*)$'

-- All fields are texts.
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

-- Member of `holds`: all that a release needs, even when the entry has been forgotten meanwhile.
-- place: '<campaign_id>|<encoded game_id>'; account_id: the developer's, '' in a hold of an earlier version; price: as text
local function hold_member(match_id, place, session_key, account_id, price)
  if account_id ~= '' then session_key = session_key .. '|' .. account_id end
  return match_id .. '|' .. place .. '|' .. session_key .. '|' .. price
end

-- Member of `pending`: its order is by creative, then age, since every moment has 16 digits.
local function pending_member(match_id, entry)
  return entry.creative_id .. ':' .. entry.matched_at_us .. ':' .. match_id
end
