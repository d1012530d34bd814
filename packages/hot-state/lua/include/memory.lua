-- What Redis does once its memory is full. A script is stopped at the first write that may need more; one that has written
-- anything before is let go on. So what takes memory asks first, and what frees memory in the end writes first.

-- Ends the script with OOM when memory is full, and does nothing otherwise: no member has this name.
local function require_memory(sorted_set)
  redis.call('ZADD', sorted_set, 'XX', '0', '')
end

-- Lets the script go on whether memory is full or not: for what takes next to none, and without which nothing would be
-- freed. It changes nothing: `key` never expires.
local function pass_when_full(key)
  redis.call('PERSIST', key)
end
