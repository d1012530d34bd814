-- Ends a claim: keeps it with the charged match, or drops it so that another body may use the operation.
-- KEYS  claim (see claim_operation)
-- ARGV  hash of the body, lifetime of a claim that no longer exists (ms), match_id ('': drop)
-- Reply {code}
-- Codes kept, dropped
--       untouched  the key has another claim, or a retry of the same body was kept
-- A claim's lifetime starts when it is created: keeping it does not prolong it.

local claim, body_hash, lifetime_ms, match_id = KEYS[1], ARGV[1], ARGV[2], ARGV[3]

local known = redis.call('GET', claim)
local state, hash = string.match(known or '', '^(%a+)|([^|]*)|')
if match_id ~= '' then
  if state == 'kept' then return { hash == body_hash and 'kept' or 'untouched' } end
  local kept = 'kept|' .. body_hash .. '|' .. match_id
  if known then
    redis.call('SET', claim, kept, 'KEEPTTL')
  else
    redis.call('SET', claim, kept, 'PX', lifetime_ms)
  end
  return { 'kept' }
end
if state ~= 'claimed' or hash ~= body_hash then return { 'untouched' } end
redis.call('DEL', claim)
return { 'dropped' }
