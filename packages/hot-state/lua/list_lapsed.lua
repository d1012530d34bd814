-- Lists the holds whose time is over by the clock of Redis, the oldest first.
-- KEYS  holds
-- ARGV  limit, skip (number of the oldest holds to leave out)
-- Reply {next_lapses_at_ms | '', member, lapses_at_ms, member, lapses_at_ms, …}
--       next_lapses_at_ms: when the first hold after this list lapses, '' if there is none
-- Reads only.

-- @include "time"

local holds, limit, skip = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])

local lapsed = redis.call('ZRANGEBYSCORE', holds, '-inf', integer_text(now_milliseconds()), 'WITHSCORES', 'LIMIT', skip, limit)
local next_index = integer_text(skip + #lapsed / 2)
local following = redis.call('ZRANGE', holds, next_index, next_index, 'WITHSCORES')
return { following[2] or '', unpack(lapsed) }
