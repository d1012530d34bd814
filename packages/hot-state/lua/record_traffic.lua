-- Adds an instance's counts of the calls of a game, or of an account. Statistics only: a repeated call counts twice.
-- KEYS  last calls, hours of the day: hashes; of a game also: days of the month: a hash, words of the month: a sorted set,
--       scenes: a list
-- ARGV  JSON {hour, counts {name: n}, last {name: ms}; of a game also: day, words {word: n}, scenes [text]},
--       lifetime of hours and scenes (ms), lifetime of the rest (ms); of a game also: maximum number of words, of scenes
-- Reply {}
-- Leaves words and scenes out where memory is nearly full: they are the largest part, and a few thousand calls of a stranger fill
-- megabytes for months.

-- @include "time"
-- @include "memory"

local last_calls, hours, days, words, scenes = unpack(KEYS)
local gathered, hours_kept_ms, days_kept_ms, max_words, max_scenes = cjson.decode(ARGV[1]), unpack(ARGV, 2)

local function count(key, period, kept_ms)
  for name, calls in pairs(gathered.counts) do redis.call('HINCRBY', key, period .. ':' .. name, calls) end
  redis.call('PEXPIRE', key, kept_ms)
end

count(hours, gathered.hour, hours_kept_ms)
for name, ms in pairs(gathered.last) do
  -- An earlier time never replaces a later one.
  local known = redis.call('HGET', last_calls, name)
  if not known or tonumber(known) < ms then redis.call('HSET', last_calls, name, integer_text(ms)) end
end
redis.call('PEXPIRE', last_calls, days_kept_ms)
if not days then return {} end

count(days, gathered.day, days_kept_ms)
if next(gathered.words) == nil and #gathered.scenes == 0 then return {} end
if is_nearly_full() then return {} end

for word, times in pairs(gathered.words) do redis.call('ZINCRBY', words, times, word) end
local excess = redis.call('ZCARD', words) - max_words
if excess > 0 then redis.call('ZPOPMIN', words, excess) end
redis.call('PEXPIRE', words, days_kept_ms)

if #gathered.scenes > 0 then
  redis.call('LPUSH', scenes, unpack(gathered.scenes))
  redis.call('LTRIM', scenes, 0, integer_text(max_scenes - 1))
  redis.call('PEXPIRE', scenes, hours_kept_ms)
end
return {}
