import { DAY_MS, type Database, Prisma, utcDay } from "@diegetic/database";
import { QUARANTINED } from "./advertisers.ts";
import { type Check, type Inspection, inspectionOf, lateCheck } from "./comparison.ts";
import { compareInPostgres, namedPairs } from "./sql-pairs.ts";

const MAX_KEPT_MS = 2 * DAY_MS;

/** Checks maintenance: what must exist, or must have been deleted, whatever the balances. */
export function upkeepInspection(database: Database, nowMs: () => number, timeoutMs: number): Inspection {
  return inspectionOf("upkeep", () => {
    const checks = upkeepChecks(nowMs());
    const pairs = Prisma.join(checks.map(namedPairs), " UNION ALL ");
    return compareInPostgres(database, timeoutMs, checks, pairs);
  });
}

function upkeepChecks(nowMs: number): readonly Check<Prisma.Sql>[] {
  return [
    lateCheck(
      "partitions",
      "Partitions of today and tomorrow",
      Prisma.sql`
        SELECT day AS subject, 1 AS expected,
          (SELECT count(*) FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
            WHERE inhparent = 'impressions'::regclass
              AND child.relname = 'impressions_' || replace(day, '-', '')) AS found
        FROM unnest(${[utcDay(nowMs), utcDay(nowMs + DAY_MS)]}::text[]) AS wanted(day)`,
    ),
    lateCheck(
      "stored_answers",
      "Idempotent answers stored for more than two days",
      Prisma.sql`
        SELECT 'all' AS subject, 0 AS expected, count(*) AS found FROM idempotency_keys
        WHERE created_at < ${new Date(nowMs - MAX_KEPT_MS)}`,
    ),
    {
      ...QUARANTINED,
      query: Prisma.sql`
        SELECT 'of no known advertiser' AS subject, 0 AS expected, count(*) AS found FROM quarantined_impressions p
        WHERE resolved_at IS NULL AND NOT EXISTS (SELECT FROM advertisers a WHERE a.id = p.advertiser_id)`,
    },
  ];
}
