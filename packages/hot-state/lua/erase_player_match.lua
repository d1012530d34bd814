-- Replaces the player and the player session of an unbilled match. The match stays as it is otherwise: it can be billed, and its
-- hold is released in time, but its cap and its session seat are no longer given back.
-- KEYS  holds, matches
-- ARGV  match_id, scope ('<campaign_id>|<encoded game_id>'), user_hash, the user_hash and the session_key to store instead;
--       '' and '' change nothing
-- Reply the session_key that was stored; '': the entry is gone, or is another player's

-- @include "time"
-- @include "entry"

local holds, matches = unpack(KEYS)
local match_id, scope, user_hash, new_hash, new_session = unpack(ARGV)

-- Replaces the first occurrence. Hashes may contain characters that are special in patterns.
local function replaced(text, from, to)
  local first, last = string.find(text, from, 1, true)
  return first and string.sub(text, 1, first - 1) .. to .. string.sub(text, last + 1) or text
end

local text = redis.call('HGET', matches, match_id)
local entry = text and decode_entry(text)
if not entry or not string.find(entry.facts, user_hash, 1, true) then return '' end
local old_session = entry.session_key
if new_hash == '' then return old_session end
if entry.state == 'S' then
  redis.call('HSET', matches, match_id, replaced(replaced(text, old_session, new_session), user_hash, new_hash))
  return old_session
end
for _, account_id in ipairs({ developer_of(entry.facts), '' }) do
  local old_member = hold_member(match_id, scope, old_session, account_id, entry.price)
  local lapses_at_ms = redis.call('ZSCORE', holds, old_member)
  if lapses_at_ms then
    redis.call('ZADD', holds, lapses_at_ms, hold_member(match_id, scope, new_session, account_id, entry.price))
    redis.call('ZREM', holds, old_member)
    break
  end
end
entry.session_key = new_session
entry.facts = replaced(entry.facts, user_hash, new_hash)
if is_json(entry.facts) then entry.facts = replaced(entry.facts, old_session, new_session) end
redis.call('HSET', matches, match_id, encode_entry(entry))
return old_session
