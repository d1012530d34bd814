-- Ends a claim: keeps it for its whole lifetime, or drops it so that another body may use the operation.
-- KEYS  1 claim
-- ARGV  1 hash of the body  2 keep or drop  3 lifetime, ms
-- Reply 'kept' | 'dropped' | 'untouched': another claim stands there, or a retry of the same body was kept
if ARGV[2] == 'keep' then
  local claim = redis.call('GET', KEYS[1])
  if claim and string.match(claim, '^kept|') and claim ~= 'kept|' .. ARGV[1] then
    return 'untouched'
  end
  redis.call('SET', KEYS[1], 'kept|' .. ARGV[1], 'PX', ARGV[3])
  return 'kept'
end
if redis.call('GET', KEYS[1]) == 'claimed|' .. ARGV[1] then
  redis.call('DEL', KEYS[1])
  return 'dropped'
end
return 'untouched'
