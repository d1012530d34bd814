-- A slice of an advertiser's wallet: a wallet of its own whose money the advertiser's own wallet has granted it. Its account has
-- no limit, and the budget of each of its campaigns is what was granted in all since the wallet was restored. Every change of
-- money raises `seq`, so of two reports the one with the larger seq is newer. `revision` counts how often money was taken back: a
-- grant made before that is void. Budget and daily cap limit only grants. Needs "time", "totals".

-- Returns {epoch, seq, revision, granted, spent, held, impressions, day, day_spent} of a campaign; nil: the slice lacks it.
local function report(account_key, campaign_key)
  local account = read_account(account_key)
  if not account then return nil end
  local values = redis.call('HMGET', campaign_key, 'revision', 'budget', 'spent', 'held', 'impressions', 'day', 'day_spent')
  if not values[2] then return nil end
  values[1] = values[1] or '0'
  return { account.epoch, integer_text(account.seq), unpack(values) }
end

-- Takes back what the campaign was granted and has not spent, and voids grants that have not arrived. part: 'unused' leaves what
-- open holds need; a number: at most that amount
local function take_back(account_key, campaign_key, part)
  local granted, spent, held = unpack(redis.call('HMGET', campaign_key, 'budget', 'spent', 'held'))
  local wanted = part == 'unused' and math.max(granted - spent - held, 0) or tonumber(part)
  local taken = math.min(wanted, granted - spent)
  redis.call('HSET', campaign_key, 'budget', integer_text(granted - taken))
  redis.call('HINCRBY', campaign_key, 'revision', 1)
  redis.call('HINCRBY', account_key, 'seq', 1)
end
