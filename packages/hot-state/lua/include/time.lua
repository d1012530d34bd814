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

-- YYYY-MM-DD (UTC) of Unix milliseconds. Days are counted from 0000-03-01, so that a leap day ends its year, in cycles
-- of 400 years.
local function utc_day(ms)
  local floor = math.floor
  local days = floor(ms / DAY_MS) + 719468
  local cycle = floor(days / 146097)
  local day_of_cycle = days - cycle * 146097
  local year_of_cycle = floor((day_of_cycle - floor(day_of_cycle / 1460)
    + floor(day_of_cycle / 36524) - floor(day_of_cycle / 146096)) / 365)
  local day_of_year = day_of_cycle
    - (365 * year_of_cycle + floor(year_of_cycle / 4) - floor(year_of_cycle / 100))
  local month_from_march = floor((5 * day_of_year + 2) / 153)
  local day = day_of_year - floor((153 * month_from_march + 2) / 5) + 1
  local month = month_from_march < 10 and month_from_march + 3 or month_from_march - 9
  local year = year_of_cycle + cycle * 400 + (month <= 2 and 1 or 0)
  return string.format('%04d-%02d-%02d', year, month, day)
end
