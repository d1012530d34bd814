-- Claims an idempotency key for a request body. The same body may always proceed.
-- KEYS  1 claim: the string state|hash|match_id; state claimed or kept
-- ARGV  1 hash of the body  2 lifetime, ms
-- Reply {'new' | 'same', match_id | ''} | {'conflict'}
--       match_id: the match that was charged, once the claim is kept
local claim = redis.call('GET', KEYS[1])
-- During a rolling update, older instances write claims with an impression id before the match id, and the state dropped.
local state, hash, match_id = string.match(claim or '', '^(%a+)|([^|]*)|.-([^|]*)$')
if claim and not state then error('claim is damaged') end

if hash == ARGV[1] then
  if state == 'dropped' then redis.call('SET', KEYS[1], 'claimed|' .. hash .. '|', 'PX', ARGV[2]) end
  return { 'same', match_id }
end
if state and state ~= 'dropped' then return { 'conflict' } end
redis.call('SET', KEYS[1], 'claimed|' .. ARGV[1] .. '|', 'PX', ARGV[2])
return { 'new', '' }
