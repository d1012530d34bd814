-- Takes a place in a player session, whose length and number of ads are limited.
-- KEYS  session
-- ARGV  match_id, max_ads, idle_ms (a session ends after so long without a request)
-- Reply {'admitted' | 'full', started_ms (of the session), count (of its ads, this one included)}
-- Codes admitted   the match has a place
--       full       max_ads places are taken
-- The session lives on either way. Idempotent by match_id.

-- @include "time"

local session = KEYS[1]
local match_id, max_ads, idle_ms = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local now_ms = whole(math.floor(now_microseconds() / 1000))

redis.call('HSETNX', session, 'started', now_ms)
local count = redis.call('HLEN', session) - 1
local code = 'admitted'
if redis.call('HEXISTS', session, match_id) == 0 then
  if count < max_ads then
    redis.call('HSET', session, match_id, now_ms)
    count = count + 1
  else
    code = 'full'
  end
end
redis.call('PEXPIRE', session, idle_ms)
return { code, redis.call('HGET', session, 'started'), whole(count) }
