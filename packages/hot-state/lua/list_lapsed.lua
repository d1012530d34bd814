-- Lists the holds whose time is over by the clock of Redis, the oldest first.
-- KEYS  holds
-- ARGV  limit, skip (number of the oldest holds to leave out)
-- Reply {next_lapses_at_ms | '', member, lapses_at_ms, member, lapses_at_ms, …}
--       next_lapses_at_ms: when the first hold after this list lapses, '' if there is none
-- Reads only.

-- @include "time"

local holds, limit, skip = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])

local lapsed = redis.call('ZRANGEBYSCORE', holds, '-inf', now_milliseconds(), 'WITHSCORES', 'LIMIT', skip, limit)
local following = redis.call('ZRANGE', holds, skip + #lapsed / 2, skip + #lapsed / 2, 'WITHSCORES')
return { following[2] or '', unpack(lapsed) }
