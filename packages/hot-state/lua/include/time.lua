-- Time and whole numbers. Scripts use only the clock of Redis.

local DAY_MS = 86400000

-- Microseconds since 1970, as a string: of 16 digits until 2286.
local function now_microseconds()
  local time = redis.call('TIME')
  return time[1] .. string.format('%06d', time[2])
end

-- Milliseconds, as a string, of microseconds as a string.
local function milliseconds(microseconds)
  return string.sub(microseconds, 1, -4)
end

local function now_milliseconds()
  return tonumber(milliseconds(now_microseconds()))
end

-- Formats money and times, in texts and as arguments of commands: Lua prints large numbers as 1e+15, and Redis 7.2.0 to 7.2.4
-- pass 1e9 to a command.
local function integer_text(number)
  return string.format('%.0f', number)
end

-- YYYY-MM-DD (UTC) of Unix milliseconds, by Richards' algorithm: adds the leap days that centuries lack, so that every fourth year
-- has one. Years begin with March, so that it ends its year.
local function utc_day(ms)
  local floor = math.floor
  local julian_day = floor(ms / DAY_MS) + 2440588
  local lacking_leap_days = floor(floor((4 * julian_day + 274277) / 146097) * 3 / 4)
  local quarter_days = 4 * (julian_day + 1363 + lacking_leap_days) + 3
  local fifths_of_year = 5 * floor(quarter_days % 1461 / 4) + 2
  local month = (floor(fifths_of_year / 153) + 2) % 12 + 1
  local year = floor(quarter_days / 1461) - 4716 + floor((14 - month) / 12)
  return string.format('%04d-%02d-%02d', year, month, floor(fifths_of_year % 153 / 5) + 1)
end
