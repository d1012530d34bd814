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
-- Fields of the session: 'started' (ms); by match_id the advertiser tag, then milliseconds since the start. Seats from an earlier
-- version have only a Unix time (ms): they count for every advertiser.

-- @include "time"

local session = KEYS[1]
local match_id, max_ads, idle_ms, tag = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[5]
local _, now_us = now_microseconds()
local UNIX_MS_DIGITS = 13
local now_ms = milliseconds(now_us)

if ARGV[4] ~= '' and tonumber(now_ms) > tonumber(ARGV[4]) then return { 'expired', now_ms, '0', '', '' } end

local known = redis.call('HMGET', session, 'started', match_id)
local started, seat = known[1] or now_ms, known[2]
local age_ms = tonumber(now_ms) - tonumber(started)

-- When a seat that counts for this advertiser was taken; nil for another's.
local function ms_since_start(value)
  if string.sub(value, 1, #tag) == tag then return tonumber(string.sub(value, #tag + 1)) end
  local ms = #value == UNIX_MS_DIGITS and tonumber(value) or 0
  return ms >= tonumber(started) and ms - tonumber(started) or nil
end

local count, earlier, first = 0, {}, math.huge
if known[1] then
  local fields = redis.call('HGETALL', session)
  count = #fields / 2 - 1
  for i = 1, #fields, 2 do
    local admitted = fields[i] ~= 'started' and ms_since_start(fields[i + 1])
    if admitted and age_ms - admitted > idle_ms / 2 then
      earlier[#earlier + 1], first = fields[i], math.min(first, admitted)
    end
  end
end

local code = 'admitted'
if not seat then
  if count < max_ads then count = count + 1 else code = 'full' end
end
-- Also for a match that tries another advertiser.
if code == 'full' then redis.call('HSET', session, 'started', started)
elseif not seat or string.sub(seat, 1, #tag) ~= tag then
  redis.call('HSET', session, 'started', started, match_id, tag .. integer_text(age_ms))
end
redis.call('PEXPIRE', session, idle_ms)
local earlier_since_ms = #earlier > 0 and integer_text(tonumber(started) + first) or ''
return { code, started, integer_text(count), earlier_since_ms, table.concat(earlier, ',') }
