-- Computes in memory what `shares` should contain for the existing holds. Needs "time".

-- sums_by_campaign: campaign id to {holds = by account, held = by field}. Holds without an account are not counted.
local function add_to_share_sums(sums_by_campaign, member)
  local campaign_id, game, account_id, price = string.match(member, '^[^|]*|([^|]*)|([^|]*)|[^|]*|([^|]+)|(%d+)$')
  if not campaign_id then return end
  local sums = sums_by_campaign[campaign_id] or { holds = {}, held = {} }
  local by_game, millicents = 'g:' .. game, tonumber(price)
  sums.holds[account_id] = (sums.holds[account_id] or 0) + 1
  sums.held[account_id] = (sums.held[account_id] or 0) + millicents
  sums.held[by_game] = (sums.held[by_game] or 0) + millicents
  sums_by_campaign[campaign_id] = sums
end

-- Returns the fields of a campaign's `shares` and their values. sums: nil for a campaign without such holds
local function share_texts(sums)
  local texts = {}
  if not sums then return texts end
  for field, held in pairs(sums.held) do
    texts[field] = (sums.holds[field] and sums.holds[field] .. '|' or '') .. integer_text(held)
  end
  return texts
end
