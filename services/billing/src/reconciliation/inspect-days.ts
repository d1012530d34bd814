import { type Database, dateOfDay, utcDay } from "@diegetic/database";
import { Comparisons } from "./comparison.ts";
import { readDroppedDays } from "./dropped-days.ts";
import type { Inspection, Look } from "./inspection.ts";
import { atOneMoment } from "./read-advertisers.ts";
import { readPartitions } from "./read-partitions.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const DAYS_LOOKED_AT = 35;
const MAX_KEPT_MS = 2 * DAY_MS;
/** Larger days are left to `npm run audit`: reading them would slow down writes. */
const MAX_DAY_ROWS = 2_000_000;

interface DayRow {
  campaign_id: string;
  row_impressions: bigint;
  row_charges: bigint;
  row_scores: string;
  rollup_impressions: bigint;
  rollup_charges: bigint;
  rollup_scores: string;
}

/** Compares the rows of recent days with the rollups, one day at a time, except of days that were dropped on purpose. */
export async function* dayInspections(
  database: Database,
  nowMs: () => number,
  timeoutMs: number,
): AsyncGenerator<Inspection> {
  const made = new Map((await readPartitions(database)).map(({ day, rows }) => [day, rows]));
  const dropped = await readDroppedDays(database);
  for (let back = 0; back < DAYS_LOOKED_AT; back++) {
    const day = utcDay(nowMs() - back * DAY_MS);
    if (dropped.has(day)) continue;
    const rows = made.get(day);
    if (rows !== undefined && rows > MAX_DAY_ROWS) continue;
    yield { name: "days", look: () => lookAtDay(database, day, timeoutMs) };
  }
}

async function lookAtDay(database: Database, day: string, timeoutMs: number): Promise<Look> {
  const rows = await atOneMoment(
    database,
    timeoutMs,
    (transaction) => transaction.$queryRaw<DayRow[]>`
      WITH written AS (
        SELECT campaign_id, count(*) AS impressions, sum(price_millicents)::bigint AS charges,
          sum(affinity_score) AS scores
        FROM impressions WHERE day = ${dateOfDay(day)}::date GROUP BY campaign_id
      )
      SELECT known.campaign_id, COALESCE(written.impressions, 0)::bigint AS row_impressions,
        COALESCE(written.charges, 0)::bigint AS row_charges,
        trunc(COALESCE(written.scores, 0) * 1000000)::text AS row_scores,
        rollups.impressions AS rollup_impressions, rollups.charges AS rollup_charges,
        trunc(rollups.scores * 1000000)::text AS rollup_scores
      FROM (SELECT campaign_id FROM written UNION SELECT id FROM campaigns) AS known
      LEFT JOIN written USING (campaign_id)
      CROSS JOIN LATERAL (
        SELECT COALESCE(sum(impressions), 0)::bigint AS impressions,
          COALESCE(sum(spent_millicents), 0)::bigint AS charges,
          COALESCE(sum(affinity_score_sum), 0) AS scores
        FROM campaign_rollups
        WHERE campaign_id = known.campaign_id AND day = ${dateOfDay(day)}::date) rollups
      WHERE written.impressions > 0 OR rollups.impressions > 0`,
  );
  const checks = new Comparisons("");
  for (const row of rows) {
    const subject = `${row.campaign_id} ${day}`;
    checks.equal("day_impressions", subject, row.row_impressions, row.rollup_impressions);
    checks.equal("day_charges", subject, row.row_charges, row.rollup_charges);
    checks.equal("day_affinity_scores", subject, BigInt(row.row_scores), BigInt(row.rollup_scores));
  }
  return { comparisons: checks.list, notCompared: [] };
}

/** Checks maintenance: what must exist, or must have been deleted, whatever the balances. */
export function upkeepInspection(database: Database, nowMs: () => number): Inspection {
  return {
    name: "upkeep",
    async look() {
      const made = new Set((await readPartitions(database)).map(({ day }) => day));
      const checks = new Comparisons("");
      for (const ahead of [0, 1]) {
        const day = utcDay(nowMs() + ahead * DAY_MS);
        checks.equal("partitions", day, 1, made.has(day) ? 1 : 0);
      }
      const before = new Date(nowMs() - MAX_KEPT_MS);
      const forgotten = await database.idempotencyKey.count({ where: { createdAt: { lt: before } } });
      checks.equal("stored_answers", "all", 0, forgotten);
      const [ownerless] = await database.$queryRaw<{ count: bigint }[]>`
        SELECT count(*) AS count FROM quarantined_impressions p
        WHERE resolved_at IS NULL AND NOT EXISTS (SELECT FROM advertisers a WHERE a.id = p.advertiser_id)`;
      checks.equal("quarantined", "of no known advertiser", 0, ownerless?.count ?? 0n);
      return { comparisons: checks.list, notCompared: [] };
    },
  };
}
