-- A charged match, as retries need it: a field of a hash that expires as a whole.
--   recorded_at_ms (6 bytes), valid-from epoch (its last byte), what else a retry has to name (3), price in millicents (text)
-- The hash follows from the id: a match that was charged for a request without its id stays in `matches`. Needs "history".

local CHARGED_FORMAT, PRICE_AT = '>I6BI3', 11
-- Stands for any, where it is not known what a retry has to name.
local ANY_SCOPE = 0

local function charged_scope(place, creative_id)
  return tonumber(string.sub(redis.sha1hex(place .. '|' .. creative_id), 1, 6), 16)
end

local function remember_charge(charged, field, account, recorded_at_ms, price, scope)
  local head = struct.pack(CHARGED_FORMAT, recorded_at_ms, account.matches_valid_from_epoch % 256, scope)
  redis.call('HSET', charged, field, head .. price)
  keep_for(charged, REMEMBER_MS + RETRY_MARGIN_MS)
end

-- recorded_at_ms, price (texts), scope; nil: not charged, or in matches that are void by now
local function read_charge(charged, field, account)
  local value = redis.call('HGET', charged, field)
  if not value then return nil end
  local recorded_at_ms, epoch, scope = struct.unpack(CHARGED_FORMAT, value)
  if epoch ~= account.matches_valid_from_epoch % 256 then return nil end
  return whole(recorded_at_ms), string.sub(value, PRICE_AT), scope
end
