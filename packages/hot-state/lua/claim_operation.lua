-- Claims an operation for a body. The same body may always proceed: what it does is idempotent itself.
-- KEYS  1 claim: the text claimed|hash or kept|hash
-- ARGV  1 hash of the body  2 lifetime, ms
-- Reply 'new' | 'same' | 'conflict'
local claim = redis.call('GET', KEYS[1])
if not claim then
  redis.call('SET', KEYS[1], 'claimed|' .. ARGV[1], 'PX', ARGV[2])
  return 'new'
end
if string.match(claim, '^%a+|(.*)$') == ARGV[1] then
  return 'same'
end
return 'conflict'
