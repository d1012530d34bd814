import { setTimeout as sleep } from "node:timers/promises";
import {
  type Database,
  dateOfDay,
  inTransaction,
  Prisma,
  StatementTimeout,
  safeInteger,
  type Transaction,
} from "@diegetic/database";
import { readPartitions } from "./partition-days.ts";

/** Rows of a day are added up within this time. */
export const DROP_TIMEOUT_MS = 600_000;
/** Writers of the day do not wait for this lock; Postgres stops its own maintenance of the partition after a second. */
const DAY_LOCK_TIMEOUT_MS = 5_000;
/**
 * How long each attempt waits for all transactions on the impressions. Transactions that begin meanwhile wait for it, so
 * the first attempts are short, and the last leaves them most of their statement timeout (10 s).
 */
const REMOVAL_LOCK_TIMEOUTS_MS = [1_000, 1_000, 1_000, 2_000, 4_000];
/** Lets the transactions that waited for an attempt proceed. */
const REMOVAL_PAUSE_MS = 1_000;

/** `absent`: another instance dropped it. `busy`: another instance drops now. `differs`: rows and rollups disagree. */
export type DropOutcome =
  | { outcome: "dropped"; impressions: number }
  | { outcome: "absent" | "busy" | "differs" };

/**
 * Drops the impressions of one UTC day (`YYYY-MM-DD`) and keeps their sums, in one transaction. Rejects when the locks
 * are not free in any attempt, or when aborted between two. The caller guarantees that no record of the day, or of the
 * MAX_MATCH_AGE_MS after it, waits to be written.
 */
export function dropDay(database: Database, day: string, signal: AbortSignal): Promise<DropOutcome> {
  const partition = Prisma.raw(`"impressions_${day.replaceAll("-", "")}"`);
  return inTransaction(
    database,
    async (transaction): Promise<DropOutcome> => {
      await setLockTimeout(transaction, DAY_LOCK_TIMEOUT_MS);
      const [turn] = await transaction.$queryRaw<{ isOwn: boolean }[]>`
        SELECT pg_try_advisory_xact_lock(hashtextextended('drop_impressions', 0)) AS "isOwn"`;
      if (turn?.isOwn !== true) return { outcome: "busy" };
      const partitions = await readPartitions(transaction);
      if (!partitions.some((one) => one.day === day)) return { outcome: "absent" };
      // Waits for writers of this day, and keeps out new ones.
      await transaction.$executeRaw`LOCK TABLE ${partition} IN SHARE MODE`;
      if (await differsFromRollups(transaction, partition, day)) return { outcome: "differs" };
      const impressions = await rememberDay(transaction, partition, day);
      await rememberSums(transaction, partition);
      await remove(transaction, partition, signal);
      return { outcome: "dropped", impressions };
    },
    { timeoutMs: DROP_TIMEOUT_MS },
  );
}

function setLockTimeout(transaction: Transaction, timeoutMs: number): Promise<unknown> {
  return transaction.$queryRaw`SELECT set_config('lock_timeout', ${String(timeoutMs)}, true)`;
}

/** Repeats only the removal: adding up a day may take minutes. */
async function remove(transaction: Transaction, partition: Prisma.Sql, signal: AbortSignal): Promise<void> {
  await transaction.$executeRaw`SAVEPOINT before_removal`;
  for (const [attempt, timeoutMs] of REMOVAL_LOCK_TIMEOUTS_MS.entries()) {
    if (attempt > 0) await sleep(REMOVAL_PAUSE_MS, undefined, { signal });
    try {
      await setLockTimeout(transaction, timeoutMs);
      // Serialises with the function that creates partitions.
      await transaction.$queryRaw`
        SELECT count(pg_advisory_xact_lock(hashtextextended('ensure_impression_partition', 0)))`;
      await transaction.$executeRaw`DROP TABLE ${partition}`;
      return;
    } catch (error) {
      const isLast = attempt === REMOVAL_LOCK_TIMEOUTS_MS.length - 1;
      if (isLast || !(error instanceof StatementTimeout)) throw error;
      await transaction.$executeRaw`ROLLBACK TO SAVEPOINT before_removal`;
    }
  }
}

/** What disagrees is kept, because only its rows can say why. */
async function differsFromRollups(
  transaction: Transaction,
  partition: Prisma.Sql,
  day: string,
): Promise<boolean> {
  const rows = await transaction.$queryRaw<unknown[]>`
    SELECT FROM (
      SELECT campaign_id, count(*) AS impressions, sum(price_millicents) AS spent, sum(affinity_score) AS scores
      FROM ${partition} GROUP BY 1) AS written
    FULL JOIN (SELECT * FROM campaign_rollups WHERE day = ${dateOfDay(day)}::date) AS known USING (campaign_id)
    WHERE (written.impressions, written.spent, written.scores)
      IS DISTINCT FROM (known.impressions, known.spent_millicents::numeric, known.affinity_score_sum)
    UNION ALL SELECT FROM (
      SELECT developer_account_id AS account_id, game_id, count(*) AS impressions, sum(earning_microcents) AS earned
      FROM ${partition} GROUP BY 1, 2) AS written
    FULL JOIN (SELECT * FROM game_rollups WHERE day = ${dateOfDay(day)}::date) AS known USING (account_id, game_id)
    WHERE (written.impressions, written.earned)
      IS DISTINCT FROM (known.impressions, known.earning_microcents::numeric)
    UNION ALL SELECT FROM (
      SELECT developer_account_id AS account_id, game_id, advertiser_id, count(*) AS impressions,
        sum(earning_microcents) AS earned
      FROM ${partition} GROUP BY 1, 2, 3) AS written
    FULL JOIN (SELECT * FROM game_advertiser_rollups WHERE day = ${dateOfDay(day)}::date) AS known
      USING (account_id, game_id, advertiser_id)
    WHERE (written.impressions, written.earned)
      IS DISTINCT FROM (known.impressions, known.earning_microcents::numeric)
    LIMIT 1`;
  return rows.length > 0;
}

/** Returns the number of impressions. */
async function rememberDay(transaction: Transaction, partition: Prisma.Sql, day: string): Promise<number> {
  const rows = await transaction.$queryRaw<{ impressions: bigint }[]>`
    INSERT INTO dropped_impression_days (day, impressions, spent_millicents, earning_microcents)
    SELECT ${dateOfDay(day)}::date, count(*), COALESCE(sum(price_millicents), 0), COALESCE(sum(earning_microcents), 0)
    FROM ${partition} RETURNING impressions`;
  return safeInteger(rows[0]?.impressions ?? 0n, "impressions");
}

/** Adds the day's sums to those of the days dropped before. */
async function rememberSums(transaction: Transaction, partition: Prisma.Sql): Promise<void> {
  await transaction.$executeRaw`
    WITH sums AS (
      SELECT campaign_id, creative_id, country_code, game_id, developer_account_id, campaign_version,
        GROUPING(creative_id, country_code, game_id, campaign_version) AS kind,
        count(*) AS impressions, sum(price_millicents) AS spent, sum(earning_microcents) AS earned,
        sum(affinity_score) AS scores
      FROM ${partition}
      GROUP BY GROUPING SETS ((campaign_id, creative_id), (campaign_id, country_code),
        (campaign_id, game_id, developer_account_id), (campaign_id, campaign_version))
    ), by_affinity AS (
      SELECT campaign_id, part ->> 'affinity_id' AS id, count(DISTINCT impression_id) AS impressions
      FROM ${partition} CROSS JOIN LATERAL jsonb_array_elements(affinities) AS part
      WHERE (part ->> 'contribution')::numeric <> 0 GROUP BY 1, 2
    )
    INSERT INTO dropped_impression_sums AS known
    SELECT campaign_id,
      (CASE kind WHEN 7 THEN 'creative' WHEN 11 THEN 'country' WHEN 13 THEN 'game' ELSE 'version' END)::dropped_dimension,
      CASE kind WHEN 7 THEN creative_id WHEN 11 THEN COALESCE(country_code, '') WHEN 13 THEN game_id
        ELSE campaign_version::text END,
      CASE kind WHEN 13 THEN developer_account_id ELSE '' END, impressions, spent, earned, scores
    FROM sums
    UNION ALL SELECT campaign_id, 'affinity', id, '', impressions, 0, 0, 0 FROM by_affinity
    ON CONFLICT (campaign_id, dimension, member, account_id) DO UPDATE SET
      impressions = known.impressions + excluded.impressions,
      spent_millicents = known.spent_millicents + excluded.spent_millicents,
      earning_microcents = known.earning_microcents + excluded.earning_microcents,
      affinity_score_sum = known.affinity_score_sum + excluded.affinity_score_sum`;
}
