-- Open holds on a campaign, by developer account and by game. Fields of the hash:
--   <account_id>        'open holds|millicents'
--   g:<encoded game>    millicents
-- A field is removed with its last hold.
-- While a cluster moves the hash slot, no command may follow the one that empties the key (see "history"). Needs "time", "entry".

local MAX_UNSHARED_HOLDS = 100
-- Counts of an hour, by the caller's clock: '<encoded game>' matches, 's:<encoded game>' impressions; 'a:<account_id>' and
-- 'a:s:<account_id>' how many such fields a developer's games have. Games beyond these numbers of fields are counted together under
-- '' and 's:'.
local MAX_COUNTED_FIELDS = 2000
local MAX_GAMES_OF_ACCOUNT = 100
local COUNTED_MS = 93600000

local function game_of(scope)
  return string.match(scope, '|(.*)$')
end

local function read_share(shares, account_id, game)
  local values = redis.call('HMGET', shares, account_id, 'g:' .. game)
  local holds, held = string.match(values[1] or '0|0', '^(%d+)|(%d+)$')
  return { holds = tonumber(holds), held = tonumber(held), game_held = tonumber(values[2] or 0) }
end

-- Whether one more hold of `price` would exceed half of what the campaign has left under any limit; in each slice of a wallet, half
-- of an equal part. The first hundred holds are always allowed.
local function exceeds_share(share, account, campaign, price)
  if share.holds < MAX_UNSHARED_HOLDS then return false end
  return 2 * (share.held + price) > (campaign.part_left or what_is_left(account, campaign) / account.slices)
end

local function count_hold(shares, account_id, game, share, price)
  redis.call('HSET', shares, account_id, integer_text(share.holds + 1) .. '|' .. integer_text(share.held + price),
    'g:' .. game, integer_text(share.game_held + price))
end

-- Never goes below zero: what is left of a lost count is removed with its last hold.
local function uncount_hold(shares, account_id, game, price)
  local share = read_share(shares, account_id, game)
  if share.holds <= 1 then
    redis.call('HDEL', shares, account_id, 'g:' .. game)
    return
  end
  local held = integer_text(math.max(share.held - price, 0))
  redis.call('HSET', shares, account_id, integer_text(share.holds - 1) .. '|' .. held, 'g:' .. game,
    integer_text(share.game_held - price))
  if share.game_held <= price then redis.call('HDEL', shares, 'g:' .. game) end
end

-- Removes an open hold from `holds` and from the counts. Must be the first write of its script: Redis accepts it when memory
-- is full. account_id: the developer's; price: a string
local function remove_hold(holds, shares, match_id, scope, session_key, account_id, price)
  if redis.call('ZREM', holds, hold_member(match_id, scope, session_key, account_id, price)) == 1 then
    uncount_hold(shares, account_id, game_of(scope), tonumber(price))
  end
end

-- Counts a match or an impression of a game in the hash of an hour. prefix: '' or 's:'; account_id: the developer's,
-- false if only the match's id knows it
local function count_in_hour(hourly_counts, prefix, game, account_id)
  if redis.call('HINCRBY', hourly_counts, prefix .. game, 1) > 1 then return end
  if redis.call('HLEN', hourly_counts) > MAX_COUNTED_FIELDS
      or account_id and redis.call('HINCRBY', hourly_counts, 'a:' .. prefix .. account_id, 1) > MAX_GAMES_OF_ACCOUNT then
    redis.call('HDEL', hourly_counts, prefix .. game)
    redis.call('HINCRBY', hourly_counts, prefix, 1)
  end
  redis.call('PEXPIRE', hourly_counts, COUNTED_MS)
end

-- For a match that was never returned to a caller. account_id: the developer's
local function uncount_match(hourly_counts, game, account_id)
  local field = redis.call('HEXISTS', hourly_counts, game) == 1 and game or ''
  if tonumber(redis.call('HGET', hourly_counts, field) or 0) > 1 then
    redis.call('HINCRBY', hourly_counts, field, -1)
    return
  end
  if field ~= '' then redis.call('HINCRBY', hourly_counts, 'a:' .. account_id, -1) end
  redis.call('HDEL', hourly_counts, field)
end
