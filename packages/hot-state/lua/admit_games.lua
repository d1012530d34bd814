-- Which of an account's games have traffic statistics: the first ones, until they were not called for long.
-- KEYS  games: a sorted set, by last call (ms)
-- ARGV  how long a game stays (ms), maximum number of games, games
-- Reply {games among them that have statistics}

-- @include "time"

local games = KEYS[1]
local kept_ms, max_games = unpack(ARGV)
local now_ms = now_milliseconds()
redis.call('ZREMRANGEBYSCORE', games, '-inf', integer_text(now_ms - kept_ms))

local admitted = {}
for index = 3, #ARGV do
  local game = ARGV[index]
  if redis.call('ZSCORE', games, game) or redis.call('ZCARD', games) < tonumber(max_games) then
    redis.call('ZADD', games, integer_text(now_ms), game)
    table.insert(admitted, game)
  end
end
redis.call('PEXPIRE', games, kept_ms)
return admitted
