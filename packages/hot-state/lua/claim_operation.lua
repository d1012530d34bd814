-- Claims an idempotency key for a request body. The same body may always proceed.
-- KEYS  claim: the string state|hash|match_id; state claimed or kept
-- ARGV  hash of the body, lifetime of the claim (ms)
-- Reply {'new', ''} | {'same', match_id that was charged, '' until the claim is kept} | {'conflict'}

local claim, body_hash, lifetime_ms = KEYS[1], ARGV[1], ARGV[2]

local known = redis.call('GET', claim)
if not known then
  redis.call('SET', claim, 'claimed|' .. body_hash .. '|', 'PX', lifetime_ms)
  return { 'new', '' }
end
local hash, match_id = string.match(known, '^%a+|([^|]*)|([^|]*)$')
if not hash then error('claim is damaged') end
if hash ~= body_hash then return { 'conflict' } end
return { 'same', match_id }
