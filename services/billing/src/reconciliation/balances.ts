import { DAY_MS, type Database, inTransaction, Prisma, type Transaction, utcDay } from "@diegetic/database";
import { type Check, type Comparison, comparisonOf, equal } from "./comparison.ts";

const MAX_QUARANTINED = 1_000;

/** Number and price of some impressions. */
interface Sum {
  impressions: bigint;
  priceMillicents: bigint;
}

/** Adds up impressions of an advertiser: of all its campaigns, of each campaign, and of each campaign's UTC day. */
export class ImpressionSums {
  readonly #sums = new Map<string, Sum>();

  /** @param priceMillicents of all `impressions` */
  add(campaignId: string, day: string, priceMillicents: bigint, impressions = 1n): void {
    for (const key of ["all", campaignId, `${campaignId} ${day}`]) {
      const sum = this.of(key);
      this.#sums.set(key, {
        impressions: sum.impressions + impressions,
        priceMillicents: sum.priceMillicents + priceMillicents,
      });
    }
  }

  /** @param key `all`, `<campaign>` or `<campaign> <UTC day>` */
  of(key: string): Sum {
    return this.#sums.get(key) ?? { impressions: 0n, priceMillicents: 0n };
  }
}

/** Postgres' balances of a campaign, all read at one moment. */
export interface CampaignBalances {
  id: string;
  advertiserId: string;
  status: string;
  budgetMillicents: bigint;
  dailyCapMillicents: bigint | null;
  /** UTC day on which its settings were last changed. */
  changedOn: string;
  spentMillicents: bigint;
  impressions: bigint;
  version: number;
  publishedVersion: number;
  rollupImpressions: bigint;
  rollupSpent: bigint;
  /** Affinity scores are in millionths. */
  rollupScores: bigint;
  /** Millicents of yesterday, today and tomorrow, by UTC day. */
  spentByDay: Record<string, string>;
  creativeImpressions: bigint;
  creativeSpent: bigint;
  creativeScores: bigint;
  countryImpressions: bigint;
  countrySpent: bigint;
  versionImpressions: bigint;
  /** The newest version that was billed; 0: none. */
  newestVersion: number;
  gameImpressions: bigint;
}

interface AdvertiserRow {
  id: string;
  depositedMillicents: bigint;
  spentMillicents: bigint;
  impressions: bigint;
  version: number;
  publishedVersion: number;
  /** The wallet's last recovery epoch. */
  recoveryEpoch: bigint;
  /** Settlements that the wallet may not have yet. */
  pendingSettlements: bigint;
  depositRowsMillicents: bigint;
  /** Quarantined records that no operator has resolved. */
  unresolved: bigint;
}

/** The settlements of an advertiser's wallet. */
interface SettlementSums {
  /** Late charges: the wallet may exceed a limit by this amount. */
  late: ImpressionSums;
  /** Of the late charges, those that the wallet may not have yet. */
  pendingLate: ImpressionSums;
  /** Reversed charges that the wallet may still contain. */
  pendingReversed: ImpressionSums;
}

/** Postgres' balances of an advertiser, all read at one moment. */
export interface AdvertiserBalances extends AdvertiserRow, SettlementSums {
  /** Quarantined records, which the wallet may still contain; one with an unreadable price counts as zero. */
  quarantined: ImpressionSums;
  campaigns: CampaignBalances[];
}

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

/** All balances of one page of advertisers. Postgres adds them up and returns one row per campaign. */
export async function readAdvertisers(
  transaction: Transaction,
  advertiserIds: readonly string[],
  nowMs: number,
): Promise<AdvertiserBalances[]> {
  const ids = [...advertiserIds];
  const advertisers = await transaction.$queryRaw<AdvertiserRow[]>`
    SELECT a.id, a.deposited_millicents AS "depositedMillicents", a.spent_millicents AS "spentMillicents",
      a.impressions, a.version, a.published_version AS "publishedVersion", a.recovery_epoch AS "recoveryEpoch",
      (SELECT count(*) FROM wallet_settlements
        WHERE advertiser_id = a.id AND settled_at IS NULL) AS "pendingSettlements",
      (SELECT COALESCE(sum(amount_cents), 0)::bigint * 1000 FROM deposits
        WHERE advertiser_id = a.id) AS "depositRowsMillicents",
      (SELECT count(*) FROM quarantined_impressions
        WHERE advertiser_id = a.id AND resolved_at IS NULL) AS unresolved
    FROM advertisers a WHERE a.id = ANY(${ids}) ORDER BY a.id`;
  const campaigns = await readCampaigns(transaction, ids, nowMs);
  const quarantined = await readQuarantined(transaction, ids);
  const settlements = await readSettlements(transaction, ids);
  return advertisers.map((row) => ({
    ...row,
    ...(settlements.get(row.id) ?? noSettlements()),
    quarantined: quarantined.get(row.id) ?? new ImpressionSums(),
    campaigns: campaigns.filter(({ advertiserId }) => advertiserId === row.id),
  }));
}

function readCampaigns(transaction: Transaction, ids: string[], nowMs: number): Promise<CampaignBalances[]> {
  const days = [-1, 0, 1].map((offset) => utcDay(nowMs + offset * DAY_MS));
  return transaction.$queryRaw<CampaignBalances[]>`
    SELECT c.id, c.advertiser_id AS "advertiserId", c.status::text, c.budget_cents::bigint * 1000 AS "budgetMillicents",
      c.daily_cap_cents::bigint * 1000 AS "dailyCapMillicents", c.spent_millicents AS "spentMillicents",
      (c.updated_at AT TIME ZONE 'UTC')::date::text AS "changedOn",
      c.impressions, c.version, c.published_version AS "publishedVersion", r.*, d.*, t.*, n.*, v.*, g.*
    FROM campaigns c
    CROSS JOIN LATERAL (
      SELECT COALESCE(sum(impressions), 0)::bigint AS "rollupImpressions",
        COALESCE(sum(spent_millicents), 0)::bigint AS "rollupSpent",
        trunc(COALESCE(sum(affinity_score_sum), 0) * 1000000)::bigint AS "rollupScores"
      FROM campaign_rollups WHERE campaign_id = c.id) r
    CROSS JOIN LATERAL (
      SELECT COALESCE(sum(impressions), 0)::bigint AS "creativeImpressions",
        COALESCE(sum(spent_millicents), 0)::bigint AS "creativeSpent",
        trunc(COALESCE(sum(affinity_score_sum), 0) * 1000000)::bigint AS "creativeScores"
      FROM creatives WHERE campaign_id = c.id) t
    CROSS JOIN LATERAL (
      SELECT COALESCE(sum(impressions), 0)::bigint AS "countryImpressions",
        COALESCE(sum(spent_millicents), 0)::bigint AS "countrySpent"
      FROM campaign_countries WHERE campaign_id = c.id) n
    CROSS JOIN LATERAL (
      SELECT COALESCE(sum(impressions), 0)::bigint AS "gameImpressions"
      FROM campaign_games WHERE campaign_id = c.id AND advertiser_id = c.advertiser_id) g
    CROSS JOIN LATERAL (
      SELECT json_object_agg(day, spent) AS "spentByDay" FROM (
        SELECT wanted.day, COALESCE(sum(rollups.spent_millicents), 0)::text AS spent
        FROM unnest(${days}::text[]) AS wanted(day)
        LEFT JOIN campaign_rollups rollups ON rollups.campaign_id = c.id AND rollups.day = wanted.day::date
        GROUP BY wanted.day) AS by_day) d
    CROSS JOIN LATERAL (
      SELECT COALESCE(sum(impressions), 0)::bigint AS "versionImpressions",
        COALESCE(max(campaign_version), 0) AS "newestVersion"
      FROM campaign_version_rollups WHERE campaign_id = c.id) v
    WHERE c.advertiser_id = ANY(${ids}) ORDER BY c.id`;
}

interface SettlementRow {
  advertiser_id: string;
  campaign_id: string;
  day: string;
  kind: "late" | "reversed";
  is_pending: boolean;
  impressions: bigint;
  price: bigint;
}

function noSettlements(): SettlementSums {
  return {
    late: new ImpressionSums(),
    pendingLate: new ImpressionSums(),
    pendingReversed: new ImpressionSums(),
  };
}

/** Of a quarantined record: a resolved one that the wallet no longer counts explains no difference. */
const COUNTED = Prisma.sql`(p.resolved_at IS NULL OR p.recovery_epoch = a.recovery_epoch)`;

/**
 * Includes late charges that the wallet already has: it may receive them at any moment. Without reversals of quarantined records
 * that are counted as such.
 */
async function readSettlements(
  transaction: Transaction,
  ids: string[],
): Promise<Map<string, SettlementSums>> {
  const rows = await transaction.$queryRaw<SettlementRow[]>`
    SELECT s.advertiser_id, s.campaign_id, s.day::text, s.kind::text, s.settled_at IS NULL AS is_pending,
      count(*) AS impressions, sum(s.price_millicents)::bigint AS price
    FROM wallet_settlements s JOIN advertisers a ON a.id = s.advertiser_id
    WHERE s.advertiser_id = ANY(${ids}) AND (s.kind = 'late' OR s.settled_at IS NULL
      AND NOT EXISTS (SELECT FROM quarantined_impressions p WHERE p.impression_id = s.impression_id AND ${COUNTED}))
    GROUP BY 1, 2, 3, 4, 5`;
  const settlements = new Map<string, SettlementSums>();
  for (const { advertiser_id, campaign_id, day, kind, is_pending, impressions, price } of rows) {
    const own = settlements.get(advertiser_id) ?? noSettlements();
    const sums =
      kind === "reversed" ? [own.pendingReversed] : [own.late, ...(is_pending ? [own.pendingLate] : [])];
    for (const each of sums) each.add(campaign_id, day, price, impressions);
    settlements.set(advertiser_id, own);
  }
  return settlements;
}

async function readQuarantined(
  transaction: Transaction,
  ids: string[],
): Promise<Map<string, ImpressionSums>> {
  const rows = await transaction.$queryRaw<{ advertiser_id: string; record: string }[]>`
    SELECT p.advertiser_id, p.record FROM quarantined_impressions p JOIN advertisers a ON a.id = p.advertiser_id
    WHERE a.id = ANY(${ids}) AND ${COUNTED} LIMIT ${MAX_QUARANTINED}`;
  const sums = new Map<string, ImpressionSums>();
  for (const { advertiser_id, record } of rows) {
    const { match } = JSON.parse(record) as {
      match?: { campaign_id?: unknown; price_millicents?: unknown } | null;
    };
    const price = match?.price_millicents;
    const readable = Number.isSafeInteger(price) ? BigInt(price as number) : 0n;
    const own = sums.get(advertiser_id) ?? new ImpressionSums();
    own.add(String(match?.campaign_id ?? ""), "", readable);
    sums.set(advertiser_id, own);
  }
  return sums;
}

/** Differing pairs of a check that are listed one by one. */
const MAX_LISTED = 20;

interface PairsRow {
  name: string;
  compared: bigint;
  expected: string;
  found: string;
  differences: bigint;
  differing: { subject: string; expected: string; found: string }[] | null;
}

/**
 * Compares balances that Postgres adds up, at one moment and on one core: a second one would slow down the writers.
 * Returns per check the sums of all pairs, or a bounded list of the first pairs that differ and the number of the others.
 * @param pairs yields `name` (of a check), `subject`, `expected`, `found`
 * @param unlisted subject of the number of the others; unique among the inspections of a check
 */
export async function compareInPostgres(
  database: Database,
  timeoutMs: number,
  checks: readonly Check<unknown>[],
  pairs: Prisma.Sql,
  unlisted = "not listed",
): Promise<Comparison[]> {
  const rows = await atOneMoment(database, timeoutMs, async (transaction) => {
    await transaction.$executeRaw`SET LOCAL max_parallel_workers_per_gather = 0`;
    return readPairs(transaction, pairs);
  });
  return checks.flatMap((check) =>
    rows.filter(({ name }) => name === check.name).flatMap((row) => comparisonsOf(check, row, unlisted)),
  );
}

function readPairs(transaction: Transaction, pairs: Prisma.Sql): Promise<PairsRow[]> {
  return transaction.$queryRaw<PairsRow[]>`
    WITH pairs AS (
      SELECT name, subject, COALESCE(expected, 0) AS expected, COALESCE(found, 0) AS found FROM (${pairs}) AS p
    ), differing AS (
      SELECT name, subject, expected::text, found::text, row_number() OVER (PARTITION BY name ORDER BY subject) AS nth
      FROM pairs WHERE expected <> found
    )
    SELECT name, count(*) AS compared, sum(expected)::text AS expected, sum(found)::text AS found,
      count(*) FILTER (WHERE expected <> found) AS differences,
      (SELECT json_agg(d ORDER BY nth) FROM differing AS d
        WHERE d.name = pairs.name AND nth <= ${MAX_LISTED}) AS differing
    FROM pairs GROUP BY name`;
}

function comparisonsOf(check: Check<unknown>, row: PairsRow, unlisted: string): Comparison[] {
  if (row.differing !== null) {
    const listed = row.differing.map(({ subject, expected, found }) =>
      comparisonOf(check, equal(subject, BigInt(expected), BigInt(found))),
    );
    const others = Number(row.differences) - listed.length;
    if (others === 0) return listed;
    return [...listed, comparisonOf(check, equal(unlisted, 0, others), { pairs: others, isUnlisted: true })];
  }
  // The sums of all pairs represent the rows that agree; if the sums differ, some rows do.
  const sums = equal("all", BigInt(row.expected), BigInt(row.found));
  return [comparisonOf(check, sums, { pairs: Number(row.compared) })];
}

/** Subject that stands for all days whose impressions were dropped. */
export const DROPPED_DAYS = Prisma.sql`'dropped days'`;

/** The day of a row as text. All dropped days are one. */
export function dayOrDropped(day: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`CASE WHEN ${day} IN (SELECT day FROM dropped_impression_days) THEN ${DROPPED_DAYS}
    ELSE ${day}::text END`;
}

/** The query of a check, with the check's name in front. */
export function namedPairs({ name, query }: Check<Prisma.Sql>): Prisma.Sql {
  return Prisma.sql`SELECT ${name} AS name, p.* FROM (${query}) AS p`;
}
