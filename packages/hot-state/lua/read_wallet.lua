-- Reads the money of one advertiser's wallet at one moment, for reconciliation. Reads only.
-- KEYS  account, holds, outbox, session_release, then per campaign: campaign, shares
-- ARGV  hold_limit, record_limit, late_ms, then per campaign: campaign_id
-- Reply {now_ms, account, holds, backlog, campaigns, records, session_releases}, lists of strings
--       account    {version, deposited, spent, held, impressions, epoch, '1' if the wallet may serve, else '0', slices,
--                  sliced_spent, sliced_held, sliced_impressions ('': none), seq}, empty if the wallet does not exist
--       holds      {count, sum | '' if more than hold_limit, count of those that lapsed more than late_ms ago}
--       backlog    {records in the outbox, session_releases}
--       campaigns  {id, version, status, budget, ceiling, daily_cap, spent, held, day, day_spent, impressions,
--                   sliced_spent, sliced_held, sliced_impressions ('': none), sum of its holds | '',
--                   number of `shares` fields that differ from its holds | '', id, …},
--                  without campaigns that the wallet lacks
--       records    the outbox's records, unparsed; none if there are more than record_limit
--       session_releases  match ids of a few session releases, the same ones each time

-- @include "time"
-- @include "replication_id"
-- @include "hold_sums"

local account_key, holds, outbox, session_release = unpack(KEYS, 1, 4)
local hold_limit, record_limit, late_ms = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local KEYS_BEFORE, VALUES_BEFORE = 4, 3
local CAMPAIGN_FIELDS = { 'version', 'status', 'budget', 'ceiling', 'daily_cap', 'spent', 'held', 'day', 'day_spent',
  'impressions', 'sliced_spent', 'sliced_held', 'sliced_impressions' }
local now_ms = now_milliseconds()

local account = {}
local totals = redis.call('HMGET', account_key, 'version', 'deposited', 'spent', 'held', 'impressions', 'epoch', 'lineage',
  'slices', 'sliced_spent', 'sliced_held', 'sliced_impressions', 'seq')
if totals[1] then
  totals[7] = totals[7] == server_replication_id() and '1' or '0'
  for i, value in ipairs(totals) do account[i] = value or '' end
end

local number_of_holds = redis.call('ZCARD', holds)
local sums_by_campaign, holds_sum
if number_of_holds <= hold_limit then sums_by_campaign, holds_sum = sum_holds(holds) end
local lapsed_long = redis.call('ZCOUNT', holds, '-inf', integer_text(now_ms - late_ms))

local function differing_shares(shares, sums)
  local expected, differing = share_texts(sums), 0
  local found = redis.call('HGETALL', shares)
  for j = 1, #found, 2 do
    if expected[found[j]] ~= found[j + 1] then differing = differing + 1 end
    expected[found[j]] = nil
  end
  for _ in pairs(expected) do differing = differing + 1 end
  return integer_text(differing)
end

local campaigns = {}
for i = 1, #ARGV - VALUES_BEFORE do
  local id, campaign_key, shares = ARGV[VALUES_BEFORE + i], unpack(KEYS, KEYS_BEFORE + 2 * i - 1, KEYS_BEFORE + 2 * i)
  local fields = redis.call('HMGET', campaign_key, unpack(CAMPAIGN_FIELDS))
  if fields[1] then
    campaigns[#campaigns + 1] = id
    for j = 1, #CAMPAIGN_FIELDS do campaigns[#campaigns + 1] = fields[j] or '' end
    local sums = sums_by_campaign and sums_by_campaign[id]
    campaigns[#campaigns + 1] = sums_by_campaign and integer_text(sums and sums.total or 0) or ''
    campaigns[#campaigns + 1] = sums_by_campaign and differing_shares(shares, sums) or ''
  end
end

local number_of_records = redis.call('HLEN', outbox)
local records = {}
if number_of_records <= record_limit then records = redis.call('HVALS', outbox) end

local session_releases = {}
local first_page = redis.call('HSCAN', session_release, '0', 'COUNT', 10)[2]
for i = 1, math.min(#first_page, 20), 2 do session_releases[#session_releases + 1] = first_page[i] end

return {
  { integer_text(now_ms) },
  account,
  { integer_text(number_of_holds), holds_sum and integer_text(holds_sum) or '', integer_text(lapsed_long) },
  { integer_text(number_of_records), integer_text(redis.call('HLEN', session_release)) },
  campaigns,
  records,
  session_releases,
}
