-- `history` says when fields of `matches` may be removed: charges and operations after at least 24 h and 10 min, cancelled matches
-- after 10 min, and matches whose ids do not carry them 10 min after they can no longer be billed. The others are removed 10 min
-- after they can be billed only by their ids. No match is removed before its hold is released.
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
  if redis.call('PTTL', key) < ms then redis.call('PEXPIRE', key, integer_text(ms + KEY_MARGIN_MS)) end
end

-- Extends `matches` and `history`: they expire together, so that no field outlives its member. Returns the lifetime. `history`
-- always exists, because Redis refuses a script that lacks one of several keys while a cluster moves their hash slot.
local function keep_both(matches, history, for_ms)
  local kept_ms = redis.call('PTTL', matches)
  if kept_ms >= for_ms then return kept_ms end
  kept_ms = for_ms + KEY_MARGIN_MS
  redis.call('PEXPIRE', matches, integer_text(kept_ms))
  redis.call('ZADD', history, 'inf', ':account')
  redis.call('PEXPIRE', history, integer_text(kept_ms))
  return kept_ms
end

-- Records when a field of `matches` may be removed, and keeps both keys until then.
local function remember(matches, history, field, now_ms, for_ms)
  redis.call('ZADD', history, integer_text(now_ms + for_ms), field)
  if redis.call('PTTL', history) >= for_ms then return end
  redis.call('PEXPIRE', history, integer_text(keep_both(matches, history, for_ms)))
end

-- Extends `pending`, `matches` and `history` after a match was added to the first two. `pending` is created again whenever it
-- was empty, and never outlives the others: if its lifetime is long enough, so is theirs.
local function keep_matches(pending, matches, history, for_ms)
  if redis.call('PTTL', pending) >= for_ms then return end
  redis.call('PEXPIRE', pending, integer_text(keep_both(matches, history, for_ms)))
end

-- Removes a few expired fields. Waits until there are several, because each run costs the same.
local function trim_history(pending, matches, history, now_ms)
  local due = redis.call('ZRANGEBYSCORE', history, '-inf', integer_text(now_ms), 'LIMIT', 0, TRIM_LIMIT)
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
      if entry and entry.creative_id then unbilled[#unbilled + 1] = pending_member(due[i], entry) end
    end
  end
  if #unbilled > 0 then redis.call('ZREM', pending, unpack(unbilled)) end
  if #forgotten == 0 then return end
  redis.call('HDEL', matches, unpack(forgotten))
  redis.call('ZREM', history, unpack(forgotten))
end

-- Removes those of the given members of `pending` whose holds ended before a time, and their entries if these are short.
local function trim_pending(pending, matches, members, ended_before_ms)
  local held, ids, unbilled, forgotten = {}, {}, {}, {}
  for i, member in ipairs(members) do held[i], ids[i] = decode_pending(member) end
  for i, text in ipairs(redis.call('HMGET', matches, unpack(ids))) do
    local entry = text and decode_entry(text) or { hold_ms = '0' }
    local ended_ms = tonumber(entry.lapses_at_ms or held[i] + entry.hold_ms)
    if entry.state ~= 'O' and ended_ms < ended_before_ms then
      unbilled[#unbilled + 1] = members[i]
      if entry.state == 'T' then forgotten[#forgotten + 1] = ids[i] end
    end
  end
  if #unbilled > 0 then redis.call('ZREM', pending, unpack(unbilled)) end
  if #forgotten > 0 then redis.call('HDEL', matches, unpack(forgotten)) end
end

-- Removes a few expired fields, more than one reserve and its commit add. Takes turns between `history`, the creative, and the
-- next creative in order, which may no longer be served. turn: any number, without a pattern that a game's matches share
local function trim(pending, matches, history, creative_id, turn, now_ms, hold_ttl_ms, kept_ms)
  if turn % 2 == 1 then return trim_history(pending, matches, history, now_ms) end
  local prefix, before_ms = pending_prefix(creative_id), now_ms - hold_ttl_ms - kept_ms
  local members
  if turn % 4 == 0 then
    members = redis.call('ZRANGEBYLEX', pending, '[' .. prefix, '(' .. prefix .. integer_text(before_ms), 'LIMIT', 0, TRIM_LIMIT)
  else
    local next_prefix = '(' .. string.sub(prefix, 1, -2) .. ';'
    members = redis.call('ZRANGEBYLEX', pending, next_prefix, '+', 'LIMIT', 0, TRIM_LIMIT)
    if #members == 0 then members = redis.call('ZRANGEBYLEX', pending, '-', '+', 'LIMIT', 0, TRIM_LIMIT) end
  end
  local old = {}
  for _, member in ipairs(members) do
    local held_at_ms = decode_pending(member)
    if tonumber(held_at_ms) < before_ms then old[#old + 1] = member end
  end
  if #old > 0 then trim_pending(pending, matches, old, now_ms - kept_ms) end
end
