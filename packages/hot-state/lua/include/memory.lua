-- Full memory: Redis stops a script at its first write if that write may need memory, and never after an accepted write. So
-- scripts that take memory check first, and scripts that free memory begin with a write that Redis always accepts.

-- Ends the script with OOM if memory is full, otherwise does nothing: no member has this name.
local function require_memory(sorted_set)
  redis.call('ZADD', sorted_set, 'XX', '0', '')
end

-- Lets the script continue even if memory is full: for scripts that take little memory and without which none would be
-- freed. Changes nothing, because `key` never expires.
local function pass_when_full(key)
  redis.call('PERSIST', key)
end

-- Whether more is used than 80 % of the memory that the server may use, from which on operators are alarmed.
local function is_nearly_full()
  local info = redis.call('INFO', 'memory')
  local used = tonumber(string.match(info, 'used_memory:(%d+)') or 0)
  local limit = tonumber(string.match(info, 'maxmemory:(%d+)') or 0)
  return limit > 0 and used > 0.8 * limit
end
