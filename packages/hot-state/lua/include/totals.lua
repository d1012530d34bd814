-- Reads the balances of an advertiser and of one campaign. nil: the wallet does not exist, or was not verified since its server
-- may have lost writes, so nothing may be served or charged. Needs "replication_id".
-- Stored field names: 'lineage' the replication id that the wallet was verified on, 'era' the valid-from epoch,
-- 'epoch' the recovery epoch, 'seq' the number of changes to its money, 'slices' the number of the wallet's slices,
-- 'sliced_spent', 'sliced_held' and 'sliced_impressions' what of the totals is in other slices (see "slice"), also of a campaign;
-- 'sliced_lack' what open holds in slices need beyond that.

local function read_account(key)
  local values = redis.call('HMGET', key, 'version', 'deposited', 'spent', 'held', 'lineage', 'epoch', 'era',
    'seq', 'impressions', 'slices', 'sliced_lack')
  if not values[1] or values[5] ~= server_replication_id() then return nil end
  return {
    version = values[1],
    deposited = tonumber(values[2]),
    spent = tonumber(values[3]),
    held = tonumber(values[4]),
    epoch = values[6],
    matches_valid_from_epoch = values[7],
    seq = tonumber(values[8] or 0),
    impressions = tonumber(values[9] or 0),
    slices = tonumber(values[10] or 1) or 1,
    lack = tonumber(values[11] or 0),
  }
end

-- Fields of `matches`: returns whether they are valid, then the values (false: none). Matches of a campaign in a game are void if
-- they are from an earlier valid-from epoch. No match id can be ':era'.
local function recall(account, matches, ...)
  local values = redis.call('HMGET', matches, ':era', ...)
  if values[1] ~= account.matches_valid_from_epoch then return false end
  return true, unpack(values, 2)
end

-- limit: the budget, or a lower ceiling that will become the budget. day: the day that spending counts for. If the clock goes
-- back, the later day stays, so that no cap is spent twice, and charges are recorded on that day.
-- is_day_far: the day is after tomorrow. Such records would be rejected: a campaign with a cap waits until it is restored.
-- Needs "time".
local function read_campaign(key, now_ms)
  local values = redis.call('HMGET', key, 'version', 'status', 'budget', 'ceiling', 'daily_cap', 'spent', 'held',
    'day', 'day_spent', 'impressions', 'rotation', 'part_left', 'sliced_lack')
  if not values[1] then return nil end
  local limit = tonumber(values[3])
  if values[4] ~= '' then limit = math.min(limit, tonumber(values[4])) end
  local today, day, day_spent = utc_day(now_ms), values[8], tonumber(values[9])
  if day < today then day, day_spent = today, 0 end
  return {
    version = tonumber(values[1]),
    status = values[2],
    budget = tonumber(values[3]),
    limit = limit,
    daily_cap = values[5] ~= '' and tonumber(values[5]) or nil,
    spent = tonumber(values[6]),
    held = tonumber(values[7]),
    day = day,
    day_spent = day_spent,
    is_day_ahead = day > today,
    is_day_far = day > today and day > utc_day(now_ms + DAY_MS),
    impressions = tonumber(values[10] or 0),
    rotation = tonumber(values[11] or 0),
    part_left = values[12] and tonumber(values[12]),
    lack = tonumber(values[13] or 0),
  }
end

-- What is left under every limit; open holds are part of it.
local function what_is_left(account, campaign)
  local left = math.min(account.deposited - account.spent, campaign.limit - campaign.spent)
  if campaign.daily_cap then left = math.min(left, campaign.daily_cap - campaign.day_spent) end
  return left
end

local function exceeds_day(campaign, amount)
  return campaign.daily_cap and (campaign.is_day_far or campaign.day_spent + amount > campaign.daily_cap)
end

-- The recording time of a charge made now: on the day that it counts for.
local function recorded_at_ms(campaign, now_ms)
  if not campaign.is_day_ahead or campaign.is_day_far then return now_ms end
  return now_ms - now_ms % DAY_MS + DAY_MS
end

-- Returns why more money than is spent and held does not fit, or nil. Open holds count against the current day.
local function grant_refusal(account, campaign, account_amount, campaign_amount)
  if account.deposited - account.spent - account.held < account_amount then return 'balance' end
  if campaign.limit - campaign.spent - campaign.held < campaign_amount then return 'budget' end
  if exceeds_day(campaign, campaign.held + campaign_amount) then return 'daily_cap' end
  return nil
end

-- Returns why a new hold of `price` does not fit, or nil.
local function hold_refusal(account, campaign, price)
  return grant_refusal(account, campaign, account.lack + price, campaign.lack + price)
end

-- Returns why a charge of `price` does not fit, or nil. The money of an open hold is reserved: it must only fit a budget or cap
-- that was lowered meanwhile.
local function charge_refusal(account, campaign, price, is_open)
  if not is_open then return hold_refusal(account, campaign, price) end
  if account.spent + price > account.deposited then return 'balance' end
  if campaign.spent + price > campaign.limit then return 'budget' end
  if exceeds_day(campaign, price) then return 'daily_cap' end
  return nil
end

-- What can end a refusal by `hold_refusal` (the `lasts` of "reserve"): whether it remains after every hold has lapsed and the
-- ceiling is cleared. Needs "time".
local function lasts(refusal, account, campaign, price, now_ms)
  if refusal == 'balance' then
    return account.deposited - account.spent < price and 'version ' .. account.version or ''
  end
  if refusal == 'budget' then return campaign.budget - campaign.spent < price and 'version' or '' end
  return campaign.day_spent + price > campaign.daily_cap and integer_text(DAY_MS - now_ms % DAY_MS) or ''
end
