-- Takes a seat in a player session, whose length and number of ads are limited.
-- KEYS  session
-- ARGV  match_id, max_ads, idle_ms (a session ends after this long without a request), lease_expires_ms ('': not checked),
--       advertiser tag (8 characters)
-- Reply {code, started_ms (of the session), count (of its ads, including this one),
--        earlier_since_ms (when the first of the following was admitted, '' if none),
--        match_ids of this advertiser's ads from more than half of idle_ms ago: their counts may have expired, see "cap"}:
--        strings without line breaks
-- Codes admitted   the match has a seat
--       full       max_ads seats are taken
--       expired    the caller's lease has expired, so its snapshot may be outdated; nothing was changed
-- `admitted` and `full` both prolong the session. Idempotent by match_id.
-- Fields of the session: 'started' (ms); by match_id the advertiser tag, then milliseconds since the start.

-- @include "time"

local session = KEYS[1]
local match_id, max_ads, idle_ms, lease_expires_ms, tag = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]
local now_ms = now_milliseconds()

if lease_expires_ms ~= '' and now_ms > tonumber(lease_expires_ms) then return { 'expired', integer_text(now_ms), '0', '', '' } end

local fields, known = redis.call('HGETALL', session), {}
for i = 1, #fields, 2 do known[fields[i]] = fields[i + 1] end
-- The clock may have gone back: counts of a session that began in the future would look older than it.
local started_ms, seat = math.min(tonumber(known.started or now_ms), now_ms), known[match_id]
local age_ms = now_ms - started_ms

local count, earlier, first_ms = math.max(#fields / 2 - 1, 0), {}, math.huge
for i = 1, #fields, 2 do
  local field, value = fields[i], fields[i + 1]
  if field ~= 'started' and string.sub(value, 1, #tag) == tag then
    local admitted_ms = tonumber(string.sub(value, #tag + 1))
    if age_ms - admitted_ms > idle_ms / 2 then earlier[#earlier + 1], first_ms = field, math.min(first_ms, admitted_ms) end
  end
end

local code = 'admitted'
if not seat then
  if count < max_ads then count = count + 1 else code = 'full' end
end
-- Also for a match that tries another advertiser.
if code == 'full' then redis.call('HSET', session, 'started', integer_text(started_ms))
elseif not seat or string.sub(seat, 1, #tag) ~= tag then
  redis.call('HSET', session, 'started', integer_text(started_ms), match_id, tag .. integer_text(age_ms))
end
redis.call('PEXPIRE', session, idle_ms)
local earlier_since_ms = #earlier > 0 and integer_text(started_ms + first_ms) or ''
return { code, integer_text(started_ms), integer_text(count), earlier_since_ms, table.concat(earlier, ',') }
