-- What is known of a match is forgotten a day after nobody can ask for it any more.
-- While a cluster moves a slot, a script that touches a key which it has just emptied ends there with an error, and what it
-- has done until then stays done. So a script takes the member of `pending` away when it is done with that key.

local REMEMBER_MS = 86400000
local KEY_MARGIN_MS = 3600000
local TRIM_LIMIT = 8

-- Lengthens a key's life, never shortens it. A little longer than asked for, so that few requests have to.
local function keep_for(key, ms)
  if redis.call('PTTL', key) < ms then redis.call('PEXPIRE', key, whole(ms + KEY_MARGIN_MS)) end
end

-- Notes when a field of `matches` may be forgotten, and keeps both keys until then: they are made and forgotten together.
local function remember(matches, history, field, now_ms, for_ms)
  redis.call('ZADD', history, whole(now_ms + for_ms), field)
  if redis.call('PTTL', history) < for_ms then
    redis.call('PEXPIRE', matches, whole(for_ms + KEY_MARGIN_MS))
    redis.call('PEXPIRE', history, whole(for_ms + KEY_MARGIN_MS))
  end
end

-- Forgets a few fields whose time has come: more than one reserve and its commit add.
local function trim_history(pending, matches, history, now_ms)
  local due = redis.call('ZRANGEBYSCORE', history, '-inf', whole(now_ms), 'LIMIT', 0, TRIM_LIMIT)
  for _, field in ipairs(due) do
    if string.sub(field, 1, 3) ~= 'op:' then
      local text = redis.call('HGET', matches, field)
      if text then redis.call('ZREM', pending, pending_member(field, decode_entry(text))) end
    end
    redis.call('HDEL', matches, field)
    redis.call('ZREM', history, field)
  end
end
