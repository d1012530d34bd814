-- Takes a seat in a player session, whose length and number of ads are limited.
-- KEYS  session
-- ARGV  match_id, max_ads, idle_ms (a session ends after this long without a request), lease_expires_ms ('': not checked)
-- Reply {code, started_ms (of the session), count (of its ads, including this one)}: strings without line breaks
-- Codes admitted   the match has a seat
--       full       max_ads seats are taken
--       expired    the caller's lease has expired, so its snapshot may be outdated; nothing was changed
-- `admitted` and `full` both prolong the session. Idempotent by match_id.

-- @include "time"

local session = KEYS[1]
local match_id, max_ads, idle_ms = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local _, now_us = now_microseconds()
local now_ms = milliseconds(now_us)

if ARGV[4] ~= '' and tonumber(now_ms) > tonumber(ARGV[4]) then return { 'expired', now_ms, '0' } end

local known = redis.call('HMGET', session, 'started', match_id)
local started = known[1] or now_ms
local count = known[1] and redis.call('HLEN', session) - 1 or 0
local code = 'admitted'
if not known[2] then
  if count < max_ads then
    if known[1] then redis.call('HSET', session, match_id, now_ms)
    else redis.call('HSET', session, 'started', started, match_id, now_ms) end
    count = count + 1
  else
    code = 'full'
    redis.call('HSET', session, 'started', started)
  end
end
redis.call('PEXPIRE', session, idle_ms)
return { code, started, whole(count) }
