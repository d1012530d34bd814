-- Marks the snapshot as complete: everything has been published once in this epoch, followers may serve.
-- KEYS  1 version  2 epoch  3 complete
-- ARGV  1 epoch in which everything was published  2 version that the publishing reached  3 channel
-- Reply {'complete'} | {'lost'}: the epoch has changed or the version went backwards meanwhile
if redis.call('GET', KEYS[2]) ~= ARGV[1] or tonumber(redis.call('GET', KEYS[1]) or '0') < tonumber(ARGV[2]) then
  return { 'lost' }
end
redis.call('SET', KEYS[3], ARGV[1])
redis.call('PUBLISH', ARGV[3], ARGV[2])
return { 'complete' }
