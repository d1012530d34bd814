-- Ends a claim: keeps it with the charged match, or drops it so that another body may use the operation.
-- KEYS  1 claim
-- ARGV  1 hash of the body  2 lifetime (ms) of a claim that no longer exists  3 match id, '': drop
-- Reply 'kept' | 'dropped' | 'untouched': the key has another claim, or a retry of the same body was kept
-- A claim's lifetime starts when it is created: keeping it does not prolong it.
local claim = redis.call('GET', KEYS[1])
local state, hash = string.match(claim or '', '^(%a+)|([^|]*)|')

if ARGV[3] ~= '' then
  if state == 'kept' then return hash == ARGV[1] and 'kept' or 'untouched' end
  local text = 'kept|' .. ARGV[1] .. '|' .. ARGV[3]
  if claim then
    redis.call('SET', KEYS[1], text, 'KEEPTTL')
  else
    redis.call('SET', KEYS[1], text, 'PX', ARGV[2])
  end
  return 'kept'
end
if state == 'claimed' and hash == ARGV[1] then
  redis.call('DEL', KEYS[1])
  return 'dropped'
end
return 'untouched'
