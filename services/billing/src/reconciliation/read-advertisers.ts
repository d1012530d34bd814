import { type Database, inTransaction, type Transaction, utcDay } from "@diegetic/database";
import type { AdvertiserBalances, CampaignBalances, LedgerBalances, WaitingBalances } from "./balances.ts";
import { readUsers } from "./read-users.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const MILLICENTS_PER_CENT = 1_000n;
const MAX_QUARANTINED = 1_000;
const NO_LEDGER: LedgerBalances = {
  chargeMicrocents: 0n,
  feeMicrocents: 0n,
  impressions: 0n,
};

/** Runs reads that all see the same moment, also during writes. */
export function atOneMoment<T>(
  database: Database,
  timeoutMs: number,
  read: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return inTransaction(
    database,
    async (transaction) => {
      await transaction.$executeRaw`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`;
      return read(transaction);
    },
    { timeoutMs },
  );
}

/** Number of impressions of each advertiser in Postgres: changes with every write for the advertiser. */
export async function readWrittenCounts(
  database: Database,
  advertiserIds: readonly string[],
): Promise<Map<string, bigint>> {
  const rows = await database.$queryRaw<{ id: string; impressions: bigint }[]>`
    SELECT id, impressions FROM advertisers WHERE id = ANY(${[...advertiserIds]})`;
  return new Map(rows.map((row) => [row.id, row.impressions]));
}

/** All balances of one page of advertisers. Postgres adds them up and returns one row per campaign. */
export async function readAdvertisers(
  transaction: Transaction,
  advertiserIds: readonly string[],
  nowMs: number,
): Promise<AdvertiserBalances[]> {
  const ids = [...advertiserIds];
  const advertisers = await transaction.$queryRaw<AdvertiserRow[]>`
    SELECT a.id, a.deposited_millicents AS deposited, a.spent_millicents AS spent, a.impressions, a.version,
      a.published_version, a.recovery_epoch,
      (SELECT count(*) FROM wallet_settlements WHERE advertiser_id = a.id AND settled_at IS NULL) AS settlements,
      (SELECT COALESCE(sum(amount_cents), 0)::bigint * 1000 FROM deposits WHERE advertiser_id = a.id) AS deposit_rows
    FROM advertisers a WHERE a.id = ANY(${ids}) ORDER BY a.id`;
  const campaigns = await readCampaigns(transaction, ids, nowMs);
  const ledger = await readLedger(transaction, ids);
  const quarantined = await readQuarantined(transaction, ids);
  const late = await readLate(transaction, ids);
  const users = await readUsers(
    transaction,
    campaigns.map(({ id }) => id),
  );
  return advertisers.map((row) => ({
    advertiserId: row.id,
    depositedMillicents: row.deposited,
    spentMillicents: row.spent,
    impressions: row.impressions,
    version: row.version,
    publishedVersion: row.published_version,
    recoveryEpoch: row.recovery_epoch,
    pendingSettlements: row.settlements,
    late: late.get(row.id) ?? { all: 0n, byCampaign: new Map(), byDay: new Map() },
    depositRowsMillicents: row.deposit_rows,
    depositLedgerMicrocents: ledger.deposits.get(row.id) ?? 0n,
    quarantined: quarantined.get(row.id) ?? {
      unresolved: 0n,
      count: 0n,
      priceMillicents: 0n,
      byCampaign: new Map(),
    },
    campaigns: campaigns
      .filter((campaign) => campaign.advertiser_id === row.id)
      .map((campaign) =>
        campaignBalances(campaign, ledger.campaigns.get(campaign.id), users.get(campaign.id)),
      ),
  }));
}

interface AdvertiserRow {
  id: string;
  deposited: bigint;
  spent: bigint;
  impressions: bigint;
  version: number;
  published_version: number;
  recovery_epoch: bigint;
  settlements: bigint;
  deposit_rows: bigint;
}

interface CampaignRow {
  id: string;
  advertiser_id: string;
  status: string;
  budget_cents: number;
  daily_cap_cents: number | null;
  changed_on: string;
  spent: bigint;
  impressions: bigint;
  version: number;
  published_version: number;
  rollup_impressions: bigint;
  rollup_spent: bigint;
  rollup_scores: string;
  spent_by_day: Record<string, string>;
  creative_impressions: bigint;
  creative_spent: bigint;
  creative_scores: string;
  country_impressions: bigint;
  country_spent: bigint;
  version_impressions: bigint;
  newest_version: number;
  game_impressions: bigint;
  game_earnings: bigint;
}

function readCampaigns(transaction: Transaction, ids: string[], nowMs: number): Promise<CampaignRow[]> {
  const days = [-1, 0, 1].map((offset) => utcDay(nowMs + offset * DAY_MS));
  return transaction.$queryRaw<CampaignRow[]>`
    SELECT c.id, c.advertiser_id, c.status::text, c.budget_cents, c.daily_cap_cents, c.spent_millicents AS spent,
      (c.updated_at AT TIME ZONE 'UTC')::date::text AS changed_on,
      c.impressions, c.version, c.published_version, r.rollup_impressions, r.rollup_spent, r.rollup_scores,
      d.spent_by_day, t.creative_impressions, t.creative_spent, t.creative_scores, n.country_impressions,
      n.country_spent, v.version_impressions, v.newest_version, g.game_impressions, g.game_earnings
    FROM campaigns c
    CROSS JOIN LATERAL (
      SELECT COALESCE(sum(impressions), 0)::bigint AS rollup_impressions,
        COALESCE(sum(spent_millicents), 0)::bigint AS rollup_spent,
        trunc(COALESCE(sum(affinity_score_sum), 0) * 1000000)::text AS rollup_scores
      FROM campaign_rollups WHERE campaign_id = c.id) r
    CROSS JOIN LATERAL (
      SELECT COALESCE(sum(impressions), 0)::bigint AS creative_impressions,
        COALESCE(sum(spent_millicents), 0)::bigint AS creative_spent,
        trunc(COALESCE(sum(affinity_score_sum), 0) * 1000000)::text AS creative_scores
      FROM creatives WHERE campaign_id = c.id) t
    CROSS JOIN LATERAL (
      SELECT COALESCE(sum(impressions), 0)::bigint AS country_impressions,
        COALESCE(sum(spent_millicents), 0)::bigint AS country_spent
      FROM campaign_countries WHERE campaign_id = c.id) n
    CROSS JOIN LATERAL (
      SELECT COALESCE(sum(impressions), 0)::bigint AS game_impressions,
        COALESCE(sum(earning_microcents), 0)::bigint AS game_earnings
      FROM campaign_games WHERE campaign_id = c.id AND advertiser_id = c.advertiser_id) g
    CROSS JOIN LATERAL (
      SELECT json_object_agg(day, spent) AS spent_by_day FROM (
        SELECT wanted.day, COALESCE(sum(rollups.spent_millicents), 0)::text AS spent
        FROM unnest(${days}::text[]) AS wanted(day)
        LEFT JOIN campaign_rollups rollups ON rollups.campaign_id = c.id AND rollups.day = wanted.day::date
        GROUP BY wanted.day) AS by_day) d
    CROSS JOIN LATERAL (
      SELECT COALESCE(sum(impressions), 0)::bigint AS version_impressions,
        COALESCE(max(campaign_version), 0) AS newest_version
      FROM campaign_version_rollups WHERE campaign_id = c.id) v
    WHERE c.advertiser_id = ANY(${ids}) ORDER BY c.id`;
}

function campaignBalances(
  row: CampaignRow,
  ledger: LedgerBalances | undefined,
  users: CampaignBalances["uniqueUsers"] | undefined,
): CampaignBalances {
  return {
    campaignId: row.id,
    status: row.status,
    budgetMillicents: BigInt(row.budget_cents) * MILLICENTS_PER_CENT,
    dailyCapMillicents:
      row.daily_cap_cents === null ? null : BigInt(row.daily_cap_cents) * MILLICENTS_PER_CENT,
    changedOn: row.changed_on,
    spentMillicents: row.spent,
    impressions: row.impressions,
    version: row.version,
    publishedVersion: row.published_version,
    rollups: {
      impressions: row.rollup_impressions,
      spentMillicents: row.rollup_spent,
      affinityScoreMillionths: BigInt(row.rollup_scores),
    },
    spentByDay: new Map(Object.entries(row.spent_by_day).map(([day, spent]) => [day, BigInt(spent)])),
    ledger: ledger ?? NO_LEDGER,
    creatives: {
      impressions: row.creative_impressions,
      spentMillicents: row.creative_spent,
      affinityScoreMillionths: BigInt(row.creative_scores),
    },
    countries: { impressions: row.country_impressions, spentMillicents: row.country_spent },
    games: { impressions: row.game_impressions, earningMicrocents: row.game_earnings },
    versions: { impressions: row.version_impressions, newest: row.newest_version },
    uniqueUsers: users ?? { rows: 0n, counted: 0n, differing: 0n },
  };
}

async function readLedger(transaction: Transaction, ids: string[]) {
  const rows = await transaction.$queryRaw<
    {
      advertiser_id: string;
      campaign_id: string | null;
      deposits: bigint;
      charges: bigint;
      fees: bigint;
      impressions: bigint;
    }[]
  >`
    SELECT advertiser_id, campaign_id,
      COALESCE(sum(amount_microcents) FILTER (WHERE kind = 'deposit'), 0)::bigint AS deposits,
      COALESCE(sum(amount_microcents) FILTER (WHERE kind = 'charge'), 0)::bigint AS charges,
      COALESCE(sum(amount_microcents) FILTER (WHERE kind = 'fee'), 0)::bigint AS fees,
      COALESCE(sum(impressions) FILTER (WHERE kind = 'charge'), 0)::bigint AS impressions
    FROM ledger_entries WHERE advertiser_id = ANY(${ids}) GROUP BY advertiser_id, campaign_id`;
  const deposits = new Map<string, bigint>();
  const campaigns = new Map<string, LedgerBalances>();
  for (const row of rows) {
    if (row.campaign_id === null) {
      deposits.set(row.advertiser_id, row.deposits);
      continue;
    }
    campaigns.set(row.campaign_id, {
      chargeMicrocents: row.charges,
      feeMicrocents: row.fees,
      impressions: row.impressions,
    });
  }
  return { deposits, campaigns };
}

/** Includes late charges that the wallet already has: it may receive them at any moment. */
async function readLate(transaction: Transaction, ids: string[]) {
  const rows = await transaction.$queryRaw<
    { advertiser_id: string; campaign_id: string; day: string; price: bigint }[]
  >`
    SELECT advertiser_id, campaign_id, day::text, sum(price_millicents)::bigint AS price
    FROM wallet_settlements WHERE kind = 'late' AND advertiser_id = ANY(${ids}) GROUP BY 1, 2, 3`;
  const found = new Map<
    string,
    { all: bigint; byCampaign: Map<string, bigint>; byDay: Map<string, bigint> }
  >();
  for (const { advertiser_id, campaign_id, day, price } of rows) {
    const sums = found.get(advertiser_id) ?? { all: 0n, byCampaign: new Map(), byDay: new Map() };
    sums.all += price;
    sums.byCampaign.set(campaign_id, (sums.byCampaign.get(campaign_id) ?? 0n) + price);
    sums.byDay.set(`${campaign_id} ${day}`, price);
    found.set(advertiser_id, sums);
  }
  return found;
}

async function readQuarantined(transaction: Transaction, ids: string[]) {
  // A resolved record that the wallet no longer counts explains no difference.
  const rows = await transaction.$queryRaw<{ advertiser_id: string; record: string }[]>`
    SELECT p.advertiser_id, p.record FROM quarantined_impressions p JOIN advertisers a ON a.id = p.advertiser_id
    WHERE a.id = ANY(${ids}) AND (p.resolved_at IS NULL OR p.recovery_epoch = a.recovery_epoch) LIMIT ${MAX_QUARANTINED}`;
  const unresolved = await transaction.quarantinedImpression.groupBy({
    by: ["advertiserId"],
    where: { advertiserId: { in: ids }, resolvedAt: null },
    _count: true,
  });
  const found = new Map<
    string,
    AdvertiserBalances["quarantined"] & { byCampaign: Map<string, WaitingBalances> }
  >();
  for (const { advertiserId, _count: count } of unresolved) {
    found.set(advertiserId, {
      unresolved: BigInt(count),
      count: 0n,
      priceMillicents: 0n,
      byCampaign: new Map(),
    });
  }
  for (const { advertiser_id: advertiserId, record } of rows) {
    const sums = found.get(advertiserId) ?? {
      unresolved: 0n,
      count: 0n,
      priceMillicents: 0n,
      byCampaign: new Map(),
    };
    const { campaignId, priceMillicents } = readQuarantinedRecord(record);
    sums.count += 1n;
    sums.priceMillicents += priceMillicents;
    const own = sums.byCampaign.get(campaignId) ?? { impressions: 0n, priceMillicents: 0n };
    sums.byCampaign.set(campaignId, {
      impressions: own.impressions + 1n,
      priceMillicents: own.priceMillicents + priceMillicents,
    });
    found.set(advertiserId, sums);
  }
  return found;
}

/** The readable fields of a record that could not be written. */
function readQuarantinedRecord(text: string): { campaignId: string; priceMillicents: bigint } {
  const record = JSON.parse(text) as { match?: { campaign_id?: unknown; price_millicents?: unknown } | null };
  const price = record.match?.price_millicents;
  return {
    campaignId: String(record.match?.campaign_id ?? ""),
    priceMillicents: Number.isSafeInteger(price) ? BigInt(price as number) : 0n,
  };
}
