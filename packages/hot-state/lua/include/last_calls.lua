-- Needs "time". last: Unix milliseconds by kind of call. An earlier time never replaces a later one.
local function record_last_calls(last_calls, last, kept_ms)
  for name, ms in pairs(last) do
    local known = redis.call('HGET', last_calls, name)
    if not known or tonumber(known) < ms then redis.call('HSET', last_calls, name, integer_text(ms)) end
  end
  redis.call('PEXPIRE', last_calls, kept_ms)
end
