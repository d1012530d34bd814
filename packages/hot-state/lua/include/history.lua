-- An entry is kept 10 min longer than its match can be billed: until late_impression_ms after its hold lapses, or until
-- match_without_id_ms after it when the id carries the match, and never before its hold is released. A charge without an id is
-- kept for at least 24 h and 10 min, a cancelled match for 10 min. Then it may be removed.
-- While a cluster moves a hash slot, a script that accesses a key after emptying it ends with an error, and its earlier writes
-- remain. So a script removes the member of `pending` only after its last other use of that key.

-- A retry of a charge gets the same reply for at least this long.
local REMEMBER_MS = 86400000
-- A retried request may be in flight for this long.
local RETRY_MARGIN_MS = 600000
local KEY_MARGIN_MS = 3600000
local TRIM_FROM = 4
local TRIM_LIMIT = 8

-- Extends a key's lifetime, never shortens it. Adds a margin, so that few requests need the write.
local function keep_for(key, ms)
  if redis.call('PTTL', key) < ms then redis.call('PEXPIRE', key, whole(ms + KEY_MARGIN_MS)) end
end

-- Records when a field of `matches` may be removed, and keeps both keys until then: they are created and expire together.
local function remember(matches, history, field, now_ms, for_ms)
  redis.call('ZADD', history, whole(now_ms + for_ms), field)
  if redis.call('PTTL', history) < for_ms then
    redis.call('PEXPIRE', matches, whole(for_ms + KEY_MARGIN_MS))
    redis.call('PEXPIRE', history, whole(for_ms + KEY_MARGIN_MS))
  end
end

-- Extends `pending`, `matches` and `history` after a match was added to all three. `pending` is created again whenever it was
-- empty, and never outlives the others: if its lifetime is long enough, so is theirs.
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

-- Removes a few expired fields, more than one reserve and its commit add. Waits until there are several, because each run
-- costs the same.
local function trim_history(pending, matches, history, now_ms)
  local due = redis.call('ZRANGEBYSCORE', history, '-inf', now_ms, 'LIMIT', 0, TRIM_LIMIT)
  if #due < TRIM_FROM then return end
  local forgotten, unbilled = {}, {}
  for i, text in ipairs(redis.call('HMGET', matches, unpack(due))) do
    -- Fields of operations are not entries.
    local entry = text and string.sub(due[i], 1, 3) ~= 'op:' and decode_entry(text)
    if entry and entry.state == 'O' then
      -- Its release needs it.
      remember(matches, history, due[i], now_ms, KEY_MARGIN_MS)
    else
      forgotten[#forgotten + 1] = due[i]
      if entry then unbilled[#unbilled + 1] = pending_member(due[i], entry) end
    end
  end
  if #unbilled > 0 then redis.call('ZREM', pending, unpack(unbilled)) end
  if #forgotten == 0 then return end
  redis.call('HDEL', matches, unpack(forgotten))
  redis.call('ZREM', history, unpack(forgotten))
end
