import { type Database, Prisma } from "@diegetic/database";
import { comparePairsOnOneCore } from "./compare-pairs.ts";
import { DROPPED_DAYS, dayOrDropped } from "./dropped-days.ts";
import type { Inspection } from "./inspection.ts";
import { readImpressionCount } from "./read-partitions.ts";

/**
 * Yields `name, subject, expected, found` from `sums` (stored with a campaign's parts) and `written` (from the
 * impressions, kept and dropped).
 */
interface Members {
  sums: Prisma.Sql;
  written: Prisma.Sql;
  /** What `written` sums up. */
  columns: readonly string[];
  pairs: Prisma.Sql;
}

const MEMBERS: readonly Members[] = [
  {
    sums: Prisma.sql`
      SELECT campaign_id, id AS member, impressions, spent_millicents, affinity_score_sum FROM creatives`,
    written: Prisma.sql`
      SELECT campaign_id, creative_id AS member, count(*) AS rows, sum(price_millicents) AS charges,
        sum(affinity_score) AS scores
      FROM impressions GROUP BY 1, 2
      UNION ALL SELECT campaign_id, member, impressions, spent_millicents, affinity_score_sum
      FROM dropped_impression_sums WHERE dimension = 'creative'`,
    columns: ["rows", "charges", "scores"],
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
      FROM impressions GROUP BY 1, 2
      UNION ALL SELECT campaign_id, member, impressions, spent_millicents
      FROM dropped_impression_sums WHERE dimension = 'country'`,
    columns: ["rows", "charges"],
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
      FROM impressions GROUP BY campaign_id, developer_account_id, game_id
      UNION ALL SELECT campaign_id, account_id || ' ' || member, impressions, earning_microcents
      FROM dropped_impression_sums WHERE dimension = 'game'`,
    columns: ["rows", "earnings"],
    pairs: Prisma.sql`
      ('row_campaign_game_impressions', impressions::numeric, rows::numeric),
      ('row_campaign_game_earnings', earning_microcents, earnings)`,
  },
  {
    sums: Prisma.sql`
      SELECT campaign_id, campaign_version::text AS member, impressions FROM campaign_version_rollups`,
    written: Prisma.sql`
      SELECT campaign_id, campaign_version::text AS member, count(*) AS rows
      FROM impressions GROUP BY campaign_id, campaign_version
      UNION ALL SELECT campaign_id, member, impressions FROM dropped_impression_sums WHERE dimension = 'version'`,
    columns: ["rows"],
    pairs: Prisma.sql`('row_version_impressions', impressions::numeric, rows::numeric)`,
  },
  {
    sums: Prisma.sql`
      SELECT campaign_id, ${dayOrDropped(Prisma.sql`day`)} AS member, sum(impressions) AS impressions,
        sum(spent_millicents) AS spent_millicents, sum(affinity_score_sum) AS affinity_score_sum
      FROM campaign_rollups GROUP BY 1, 2`,
    written: Prisma.sql`
      SELECT campaign_id, ${dayOrDropped(Prisma.sql`day`)} AS member, count(*) AS rows,
        sum(price_millicents) AS charges, sum(affinity_score) AS scores
      FROM impressions GROUP BY 1, 2
      UNION ALL SELECT campaign_id, ${DROPPED_DAYS}, impressions, spent_millicents, affinity_score_sum
      FROM dropped_impression_sums WHERE dimension = 'creative'`,
    columns: ["rows", "charges", "scores"],
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
  for (const { sums, written, columns, pairs } of MEMBERS) {
    const query = Prisma.sql`
      WITH sums AS (${sums}), parts AS (${written}), written AS (
        SELECT campaign_id, member, ${sumOf(columns)} FROM parts GROUP BY 1, 2
      ), complete AS (
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

function sumOf(columns: readonly string[]): Prisma.Sql {
  return Prisma.raw(columns.map((column) => `sum(${column}) AS ${column}`).join(", "));
}
