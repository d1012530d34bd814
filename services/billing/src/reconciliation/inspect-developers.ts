import type { Database } from "@diegetic/database";
import { Comparisons } from "./comparison.ts";
import type { Inspection, Look } from "./inspection.ts";

const ACCOUNTS_PER_PAGE = 200;

/** Compares every account's earnings with its ledger entries, page by page. */
export async function* developerInspections(database: Database): AsyncGenerator<Inspection> {
  let after = "";
  for (;;) {
    const page = await database.account.findMany({
      select: { id: true },
      where: { id: { gt: after } },
      orderBy: { id: "asc" },
      take: ACCOUNTS_PER_PAGE,
    });
    const ids = page.map(({ id }) => id);
    const last = ids.at(-1);
    if (last === undefined) return;
    yield {
      name: "developers",
      look: (owners) => lookAt(database, owners === undefined ? ids : ids.filter((id) => owners.has(id))),
    };
    after = last;
  }
}

interface EarningsRow {
  id: string;
  game_impressions: bigint;
  game_earnings: string;
  ledger_impressions: bigint;
  ledger_earnings: string;
}

async function lookAt(database: Database, ids: string[]): Promise<Look> {
  const rows = await database.$queryRaw<EarningsRow[]>`
    SELECT wanted.id, COALESCE(g.impressions, 0)::bigint AS game_impressions,
      COALESCE(g.earnings, 0)::text AS game_earnings, COALESCE(l.impressions, 0)::bigint AS ledger_impressions,
      COALESCE(l.earnings, 0)::text AS ledger_earnings
    FROM unnest(${ids}::text[]) AS wanted(id)
    LEFT JOIN (
      SELECT account_id, sum(impressions) AS impressions, sum(earning_microcents) AS earnings
      FROM game_rollups WHERE account_id = ANY(${ids}) GROUP BY account_id) g ON g.account_id = wanted.id
    LEFT JOIN (
      SELECT account_id, sum(impressions) AS impressions, sum(amount_microcents) AS earnings
      FROM ledger_entries WHERE account_id = ANY(${ids}) AND kind = 'earning' GROUP BY account_id) l
      ON l.account_id = wanted.id
    WHERE g.account_id IS NOT NULL OR l.account_id IS NOT NULL`;
  const comparisons = rows.flatMap((row) => {
    const checks = new Comparisons(row.id);
    checks.equal("earnings", row.id, BigInt(row.ledger_earnings), BigInt(row.game_earnings));
    checks.equal("game_impressions", row.id, row.ledger_impressions, row.game_impressions);
    return checks.list;
  });
  return { comparisons, notCompared: [] };
}
