-- Puts a committed record back into the outbox; its job has the only copy.
-- KEYS  outbox
-- ARGV  impression id, record (JSON)
-- Reply {1: returned | 0: the outbox has a record of this id}

-- @include "memory"

local outbox = KEYS[1]
local impression_id, record = unpack(ARGV)

-- Only writing it to Postgres frees the memory that the record takes.
pass_when_full(outbox)
return { redis.call('HSETNX', outbox, impression_id, record) }
