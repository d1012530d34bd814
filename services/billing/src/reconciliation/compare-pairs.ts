import type { Database, Prisma, Transaction } from "@diegetic/database";
import type { CheckName } from "./checks.ts";
import { type Comparison, Comparisons } from "./comparison.ts";
import { atOneMoment } from "./read-advertisers.ts";

const DIFFERENCES_READ = 20;

interface PairsRow {
  name: CheckName;
  compared: bigint;
  expected: string;
  found: string;
  differing: { subject: string; expected: string; found: string }[] | null;
}

/**
 * Compares balances that Postgres adds up. Returns per check the sums of all pairs and a bounded list of the first
 * pairs that differ.
 * @param pairs a query that yields `name` (of a check), `subject`, `expected`, `found`
 */
export async function comparePairs(transaction: Transaction, pairs: Prisma.Sql): Promise<Comparison[]> {
  const rows = await transaction.$queryRaw<PairsRow[]>`
    WITH pairs AS (
      SELECT name, subject, COALESCE(expected, 0) AS expected, COALESCE(found, 0) AS found FROM (${pairs}) AS p
    ), differing AS (
      SELECT name, subject, expected::text, found::text, row_number() OVER (PARTITION BY name ORDER BY subject) AS nth
      FROM pairs WHERE expected <> found
    )
    SELECT name, count(*) AS compared, sum(expected)::text AS expected, sum(found)::text AS found,
      (SELECT json_agg(d ORDER BY nth) FROM differing AS d
        WHERE d.name = pairs.name AND nth <= ${DIFFERENCES_READ}) AS differing
    FROM pairs GROUP BY name`;
  return rows.flatMap(comparisonsOf);
}

/** `comparePairs` for continuous reconciliation: a second core would slow down the writers. */
export function comparePairsOnOneCore(
  database: Database,
  timeoutMs: number,
  pairs: Prisma.Sql,
): Promise<Comparison[]> {
  return atOneMoment(database, timeoutMs, async (transaction) => {
    await transaction.$executeRaw`SET LOCAL max_parallel_workers_per_gather = 0`;
    return comparePairs(transaction, pairs);
  });
}

function comparisonsOf({ name, compared, expected, found, differing }: PairsRow): Comparison[] {
  const checks = new Comparisons("");
  for (const one of differing ?? []) {
    checks.equal(name, one.subject, BigInt(one.expected), BigInt(one.found));
  }
  // The sums of all pairs represent the rows that agree; if the sums differ, some rows do.
  if (differing === null) checks.equal(name, "all", BigInt(expected), BigInt(found), Number(compared));
  return checks.list;
}
