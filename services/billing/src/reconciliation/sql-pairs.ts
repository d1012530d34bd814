import { type Database, Prisma, type Transaction } from "@diegetic/database";
import { atOneMoment } from "./balances.ts";
import { type Check, type Comparison, comparisonOf, equal } from "./comparison.ts";

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
