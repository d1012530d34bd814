-- Charged matches, as retries need them: fields of a hash that expires as a whole. A value consists of
--   recorded_at_ms (6 bytes), last byte of the valid-from epoch, hash of scope and creative (3 bytes), price in millicents (text)
-- The key derives from the match id: a match charged by a request without its id stays in `matches`. Needs "history".

local CHARGED_FORMAT, PRICE_AT = '>I6BI3', 11
-- Matches every scope and creative; used if they are unknown.
local ANY_SCOPE_HASH = 0

local function scope_hash_of(scope, creative_id)
  return tonumber(string.sub(redis.sha1hex(scope .. '|' .. creative_id), 1, 6), 16)
end

local function remember_charge(charged, field, account, recorded_at_ms, price, scope_hash)
  local head = struct.pack(CHARGED_FORMAT, recorded_at_ms, account.matches_valid_from_epoch % 256, scope_hash)
  redis.call('HSET', charged, field, head .. price)
  keep_for(charged, REMEMBER_MS + RETRY_MARGIN_MS)
end

-- Returns recorded_at_ms, price (strings), scope_hash; nil if not charged, or charged before the valid-from epoch.
local function read_charge(charged, field, account)
  local value = redis.call('HGET', charged, field)
  if not value then return nil end
  local recorded_at_ms, epoch, scope_hash = struct.unpack(CHARGED_FORMAT, value)
  if epoch ~= account.matches_valid_from_epoch % 256 then return nil end
  return whole(recorded_at_ms), string.sub(value, PRICE_AT), scope_hash
end
