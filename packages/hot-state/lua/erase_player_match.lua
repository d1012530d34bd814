-- Replaces the player and the player session of an unbilled match. The match stays as it is otherwise: it can be billed, and its
-- hold is released in time, but its cap and its session seat are no longer given back.
-- KEYS  holds, matches
-- ARGV  match_id, scope ('<campaign_id>|<encoded game_id>'), user_hash, the user_hash and the session_key to store instead;
--       '' and '' change nothing
-- Reply {session_key that was stored; '': the entry is gone, or is another player's}

-- @include "time"
-- @include "entry"

local holds, matches = unpack(KEYS)
local match_id, scope, user_hash, new_hash, new_session = unpack(ARGV)

-- Replaces the first field with this value. Hashes may contain characters that are special in patterns.
local function replace_field(text, from, to)
  local first, last = string.find(text, '|' .. from .. '|', 1, true)
  return string.sub(text, 1, first) .. to .. string.sub(text, last)
end

local text, account_id = unpack(redis.call('HMGET', matches, match_id, ':account'))
if not text or not string.find(text, '|' .. user_hash .. '|', 1, true) then return { '' } end
local entry = decode_entry(text)
local session_key = entry.session_key
if new_hash == '' then return { session_key } end

local hold = hold_member(match_id, scope, session_key, account_id, entry.price)
local lapses_at_ms = redis.call('ZSCORE', holds, hold)
if lapses_at_ms then
  redis.call('ZADD', holds, lapses_at_ms, hold_member(match_id, scope, new_session, account_id, entry.price))
  redis.call('ZREM', holds, hold)
end
redis.call('HSET', matches, match_id, replace_field(replace_field(text, session_key, new_session), user_hash, new_hash))
return { session_key }
