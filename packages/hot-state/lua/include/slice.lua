-- A slice of an advertiser's wallet: a wallet of its own whose money the advertiser's own wallet has granted it. Its account has
-- no limit, and the budget of each of its campaigns is what was granted in all since the wallet was restored. Every change of
-- money raises `seq`, so of two reports the one with the larger seq is newer. `revision` counts how often grants were returned:
-- a grant made before that is void. `granted_below` is the campaign's daily cap, which only grants respect. Needs "time", "totals".

-- Returns {epoch, seq, revision, granted, spent, held, impressions, day, day_spent} of a campaign; nil: the slice lacks it.
local function report(account_key, campaign_key)
  local account = read_account(account_key)
  if not account then return nil end
  local values = redis.call('HMGET', campaign_key, 'revision', 'budget', 'spent', 'held', 'impressions', 'day', 'day_spent')
  if not values[2] then return nil end
  values[1] = values[1] or '0'
  return { account.epoch, integer_text(account.seq), unpack(values) }
end

-- Returns what the campaign was granted, but for what is spent and `kept`, and voids grants that have not arrived.
local function return_grant(account_key, campaign_key, kept)
  local values = redis.call('HMGET', campaign_key, 'budget', 'spent')
  local left = math.min(tonumber(values[1]), tonumber(values[2]) + kept)
  redis.call('HSET', campaign_key, 'budget', integer_text(left))
  redis.call('HINCRBY', campaign_key, 'revision', 1)
  redis.call('HINCRBY', account_key, 'seq', 1)
end
