-- Computes in memory what a wallet and `shares` should contain for the existing holds. Needs "time".

-- Returns sums by campaign: {total, holds = number by account, held = by field of `shares`}, then the sum of all holds.
-- A damaged member counts as nothing: the sums will differ.
local function sum_holds(holds)
  local by_campaign, sum = {}, 0
  for _, member in ipairs(redis.call('ZRANGE', holds, 0, -1)) do
    local campaign_id, game, account_id, price = string.match(member, '^[^|]*|([^|]*)|([^|]*)|[^|]*|([^|]*)|(%d+)$')
    if campaign_id then
      local sums, by_game = by_campaign[campaign_id] or { total = 0, holds = {}, held = {} }, 'g:' .. game
      sums.total = sums.total + price
      sums.holds[account_id] = (sums.holds[account_id] or 0) + 1
      sums.held[account_id] = (sums.held[account_id] or 0) + price
      sums.held[by_game] = (sums.held[by_game] or 0) + price
      by_campaign[campaign_id] = sums
      sum = sum + price
    end
  end
  return by_campaign, sum
end

-- Returns the fields of a campaign's `shares` and their values. sums: nil for a campaign without holds
local function share_texts(sums)
  local texts = {}
  for field, held in pairs(sums and sums.held or {}) do
    texts[field] = (sums.holds[field] and sums.holds[field] .. '|' or '') .. integer_text(held)
  end
  return texts
end
