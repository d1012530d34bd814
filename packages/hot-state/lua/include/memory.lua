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

-- Whether more than half of the memory is used that the server may use.
local function is_half_full()
  local info = redis.call('INFO', 'memory')
  local used, most = string.match(info, 'used_memory:(%d+)'), string.match(info, 'maxmemory:(%d+)')
  return most ~= '0' and tonumber(used) > tonumber(most) / 2
end
