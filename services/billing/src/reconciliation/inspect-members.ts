import { type Database, Prisma } from "@diegetic/database";
import { comparePairsOnOneCore } from "./compare-pairs.ts";
import type { Inspection } from "./inspection.ts";
import { readImpressionCount } from "./read-partitions.ts";

/**
 * Each yields `name, subject, expected, found` from `sums` (stored with a campaign's parts) and `written` (from the
 * impressions).
 */
const MEMBERS: readonly { sums: Prisma.Sql; written: Prisma.Sql; pairs: Prisma.Sql }[] = [
  {
    sums: Prisma.sql`
      SELECT campaign_id, id AS member, impressions, spent_millicents, affinity_score_sum FROM creatives`,
    written: Prisma.sql`
      SELECT campaign_id, creative_id AS member, count(*) AS rows, sum(price_millicents) AS charges,
        sum(affinity_score) AS scores
      FROM impressions GROUP BY 1, 2`,
    pairs: Prisma.sql`
      ('row_creative_impressions', impressions::numeric, rows::numeric),
      ('row_creative_spent', spent_millicents, charges),
      ('row_creative_scores', trunc(affinity_score_sum * 1000000), trunc(scores * 1000000))`,
  },
  {
    sums: Prisma.sql`
      SELECT campaign_id, country_code AS member, impressions, spent_millicents FROM campaign_countries`,
    written: Prisma.sql`
      SELECT campaign_id, COALESCE(country_code, '') AS member, count(*) AS rows, sum(price_millicents) AS charges
      FROM impressions GROUP BY 1, 2`,
    pairs: Prisma.sql`
      ('row_country_impressions', impressions::numeric, rows::numeric),
      ('row_country_spent', spent_millicents, charges)`,
  },
  {
    sums: Prisma.sql`
      SELECT campaign_id, account_id || ' ' || game_id AS member, impressions, earning_microcents
      FROM campaign_games`,
    written: Prisma.sql`
      SELECT campaign_id, developer_account_id || ' ' || game_id AS member, count(*) AS rows,
        sum(earning_microcents) AS earnings
      FROM impressions GROUP BY campaign_id, developer_account_id, game_id`,
    pairs: Prisma.sql`
      ('row_campaign_game_impressions', impressions::numeric, rows::numeric),
      ('row_campaign_game_earnings', earning_microcents, earnings)`,
  },
  {
    sums: Prisma.sql`
      SELECT campaign_id, campaign_version::text AS member, impressions FROM campaign_version_rollups`,
    written: Prisma.sql`
      SELECT campaign_id, campaign_version::text AS member, count(*) AS rows
      FROM impressions GROUP BY campaign_id, campaign_version`,
    pairs: Prisma.sql`('row_version_impressions', impressions::numeric, rows::numeric)`,
  },
  {
    sums: Prisma.sql`
      SELECT campaign_id, day::text AS member, impressions, spent_millicents, affinity_score_sum
      FROM campaign_rollups`,
    written: Prisma.sql`
      SELECT campaign_id, day::text AS member, count(*) AS rows, sum(price_millicents) AS charges,
        sum(affinity_score) AS scores
      FROM impressions GROUP BY campaign_id, day`,
    pairs: Prisma.sql`
      ('day_impressions', rows::numeric, impressions::numeric), ('day_charges', charges, spent_millicents),
      ('day_affinity_scores', trunc(scores * 1000000), trunc(affinity_score_sum * 1000000))`,
  },
];

/**
 * Compares the stored sums of each creative, country, game, version and day of a campaign with the impressions: totals
 * per campaign do not show that two parts were mixed up. Reads all impressions once for each kind, without an index,
 * because an index would slow down every write. Skips a campaign whose total count differs: `row_impressions` and
 * `day_impressions` report it.
 * @param maxRows compares nothing when there are more rows
 */
export async function* memberInspections(
  database: Database,
  timeoutMs: number,
  maxRows = Number.POSITIVE_INFINITY,
): AsyncGenerator<Inspection> {
  if ((await readImpressionCount(database)) > maxRows) return;
  for (const { sums, written, pairs } of MEMBERS) {
    const query = Prisma.sql`
      WITH sums AS (${sums}), written AS (${written}), complete AS (
        SELECT id FROM campaigns JOIN (SELECT campaign_id AS id, sum(rows) AS rows FROM written GROUP BY 1) AS of_rows
          USING (id) WHERE of_rows.rows = campaigns.impressions
      )
      SELECT pair.name, campaign_id || ' ' || member AS subject, pair.expected, pair.found
      FROM sums FULL JOIN written USING (campaign_id, member)
      CROSS JOIN LATERAL (VALUES ${pairs}) AS pair(name, expected, found)
      WHERE campaign_id IN (SELECT id FROM complete)`;
    yield {
      name: "members",
      look: async () => ({
        comparisons: await comparePairsOnOneCore(database, timeoutMs, query),
        notCompared: [],
      }),
    };
  }
}
