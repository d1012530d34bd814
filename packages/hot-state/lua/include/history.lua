-- A match is remembered until late_impression_ms and 10 min after its hold lapses, and at least 24 h and 10 min after its
-- charge; a cancelled one for 10 min. Then it may be forgotten.
-- While a cluster moves a hash slot, a script that touches a key which it has just emptied ends there with an error, and what it
-- has done until then stays done. So a script takes the member of `pending` away when it is done with that key.

-- A retry of a charge gets the same answer for at least this long.
local REMEMBER_MS = 86400000
-- A request that is sent again may be on its way for so long.
local RETRY_MARGIN_MS = 600000
local KEY_MARGIN_MS = 3600000
local TRIM_FROM = 4
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

-- Keeps `pending`, `matches` and `history` after a match has been put into all three. `pending` comes anew whenever it has been
-- empty, and is never kept for longer than the others: when it lives long enough, so do they.
local function keep_matches(pending, matches, history, for_ms)
  if redis.call('PTTL', pending) >= for_ms then return end
  local kept_ms = redis.call('PTTL', history)
  if kept_ms < for_ms then
    kept_ms = for_ms + KEY_MARGIN_MS
    redis.call('PEXPIRE', matches, whole(kept_ms))
    redis.call('PEXPIRE', history, whole(kept_ms))
  end
  redis.call('PEXPIRE', pending, whole(kept_ms))
end

-- Forgets a few fields whose time has come, more than one reserve and its commit add; once there are some, because each time
-- costs the same.
local function trim_history(pending, matches, history, now_ms)
  local due = redis.call('ZRANGEBYSCORE', history, '-inf', now_ms, 'LIMIT', 0, TRIM_LIMIT)
  if #due < TRIM_FROM then return end
  local unbilled = {}
  for i, text in ipairs(redis.call('HMGET', matches, unpack(due))) do
    -- Those of operations are no entries.
    if text and string.sub(due[i], 1, 3) ~= 'op:' then
      unbilled[#unbilled + 1] = pending_member(due[i], decode_entry(text))
    end
  end
  if #unbilled > 0 then redis.call('ZREM', pending, unpack(unbilled)) end
  redis.call('HDEL', matches, unpack(due))
  redis.call('ZREM', history, unpack(due))
end
