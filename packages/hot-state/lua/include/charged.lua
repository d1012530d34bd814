-- Charged matches, as retries need them: fields of a hash that expires as a whole. A value consists of
--   recorded_at_ms (6 bytes), last byte of the valid-from epoch, `charge_hash` (3 bytes), price in millicents (text)
-- Key and field have only a part of the match id; a match charged by a request without its id stays in `matches`. Needs "history".

local CHARGED_FORMAT, PRICE_AT = '>I6BI3', 11

-- Of match_id, scope and creative_id; of match_id alone if the others are unknown.
local function charge_hash(...)
  return tonumber(string.sub(redis.sha1hex(table.concat({ ... }, '|')), 1, 6), 16)
end

-- An earlier version's hash is of scope and creative alone, or 0.
local function is_charge_of(hash, match_id, scope, creative_id)
  return hash == charge_hash(match_id, scope, creative_id) or hash == charge_hash(match_id)
    or hash == charge_hash(scope, creative_id) or hash == 0
end

local function remember_charge(charged, field, account, recorded_at_ms, price, hash)
  local head = struct.pack(CHARGED_FORMAT, recorded_at_ms, account.matches_valid_from_epoch % 256, hash)
  redis.call('HSET', charged, field, head .. price)
  keep_for(charged, REMEMBER_MS + RETRY_MARGIN_MS)
end

-- Returns recorded_at_ms, price (strings), hash; nil if not charged, or charged before the valid-from epoch.
local function read_charge(charged, field, account)
  local value = redis.call('HGET', charged, field)
  if not value then return nil end
  local recorded_at_ms, epoch, hash = struct.unpack(CHARGED_FORMAT, value)
  if epoch ~= account.matches_valid_from_epoch % 256 then return nil end
  return integer_text(recorded_at_ms), string.sub(value, PRICE_AT), hash
end
