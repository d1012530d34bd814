import { type Database, Prisma } from "@diegetic/database";
import type { CheckName } from "./catalogue.ts";
import { type Comparison, Comparisons } from "./comparison.ts";
import type { Inspection } from "./inspection.ts";
import { atOneMoment } from "./read-advertisers.ts";

const DIFFERENCES_READ = 20;

/**
 * Reads all rows of all tables: for the audit, not for every minute. Each query yields `subject, expected, found`;
 * Postgres sums them up and returns the sums and the first rows that differ, however many rows there are.
 */
const QUERIES: readonly { check: CheckName; pairs: Prisma.Sql }[] = [
  {
    check: "row_impressions",
    pairs: Prisma.sql`
      SELECT COALESCE(c.id, r.campaign_id) AS subject, c.impressions::numeric AS expected, r.found
      FROM campaigns c FULL JOIN
        (SELECT campaign_id, count(*)::numeric AS found FROM impressions GROUP BY campaign_id) r
        ON r.campaign_id = c.id`,
  },
  {
    check: "row_charges",
    pairs: Prisma.sql`
      SELECT COALESCE(c.id, r.campaign_id) AS subject, c.spent_millicents::numeric AS expected, r.found
      FROM campaigns c FULL JOIN
        (SELECT campaign_id, sum(price_millicents) AS found FROM impressions GROUP BY campaign_id) r
        ON r.campaign_id = c.id`,
  },
  {
    check: "row_earnings",
    pairs: Prisma.sql`
      SELECT account_id AS subject, expected, found FROM
        (SELECT account_id, sum(earning_microcents) AS expected FROM game_rollups GROUP BY account_id) g
        FULL JOIN (SELECT developer_account_id AS account_id, sum(earning_microcents) AS found
          FROM impressions GROUP BY developer_account_id) r USING (account_id)`,
  },
  {
    check: "row_game_impressions",
    pairs: Prisma.sql`
      SELECT account_id AS subject, expected, found FROM
        (SELECT account_id, sum(impressions) AS expected FROM game_rollups GROUP BY account_id) g
        FULL JOIN (SELECT developer_account_id AS account_id, count(*)::numeric AS found
          FROM impressions GROUP BY developer_account_id) r USING (account_id)`,
  },
  {
    check: "row_affinity_scores",
    pairs: Prisma.sql`
      SELECT campaign_id AS subject, expected, found FROM
        (SELECT campaign_id, trunc(sum(affinity_score_sum) * 1000000) AS expected
          FROM campaign_rollups GROUP BY campaign_id) c
        FULL JOIN (SELECT campaign_id, trunc(sum(affinity_score) * 1000000) AS found
          FROM impressions GROUP BY campaign_id) r USING (campaign_id)`,
  },
  {
    check: "row_affinities",
    pairs: Prisma.sql`
      SELECT a.id AS subject, a.impressions::numeric AS expected, r.found
      FROM affinities a LEFT JOIN (
        SELECT i.campaign_id, part ->> 'affinity_id' AS id, count(DISTINCT i.impression_id)::numeric AS found
        FROM impressions i CROSS JOIN LATERAL jsonb_array_elements(i.affinities) AS part
        WHERE (part ->> 'contribution')::numeric <> 0 GROUP BY i.campaign_id, part ->> 'affinity_id') r
        ON r.id = a.id AND r.campaign_id = a.campaign_id`,
  },
  {
    check: "row_users",
    pairs: Prisma.sql`
      SELECT campaign_id AS subject, expected, found FROM
        (SELECT id AS campaign_id, unique_users::numeric AS expected FROM campaigns) c
        FULL JOIN (SELECT campaign_id, count(DISTINCT user_hash)::numeric AS found
          FROM impressions GROUP BY campaign_id) r USING (campaign_id)`,
  },
  {
    check: "impression_once",
    pairs: Prisma.sql`
      SELECT 'all' AS subject, 0::numeric AS expected,
        (count(*) - count(DISTINCT impression_id))::numeric AS found FROM impressions`,
  },
  {
    check: "match_once",
    pairs: Prisma.sql`
      SELECT 'all' AS subject, 0::numeric AS expected,
        (count(*) - count(DISTINCT match_id))::numeric AS found FROM impressions`,
  },
  {
    check: "postings",
    pairs: Prisma.sql`
      SELECT 'all' AS subject, 0::numeric AS expected, count(*)::numeric AS found FROM (
        SELECT posting_id FROM ledger_entries WHERE kind <> 'deposit' GROUP BY posting_id
        HAVING sum(amount_microcents) <> 0) AS unbalanced`,
  },
  {
    check: "whole_impressions",
    pairs: Prisma.sql`
      SELECT other.subject, (SELECT sum(impressions) FROM advertisers) AS expected, other.found FROM (
        SELECT 'rows' AS subject, count(*)::numeric AS found FROM impressions
        UNION ALL SELECT 'campaigns', sum(impressions) FROM campaigns
        UNION ALL SELECT 'campaign rollups', sum(impressions) FROM campaign_rollups
        UNION ALL SELECT 'creatives', sum(impressions) FROM creatives
        UNION ALL SELECT 'countries', sum(impressions) FROM campaign_countries
        UNION ALL SELECT 'game rollups', sum(impressions) FROM game_rollups
        UNION ALL SELECT 'game totals', sum(impressions) FROM game_totals
        UNION ALL SELECT 'games by campaign', sum(impressions) FROM campaign_games
        UNION ALL SELECT 'ledger', sum(impressions)::numeric FROM ledger_entries WHERE kind = 'charge') other`,
  },
  {
    check: "whole_charges",
    pairs: Prisma.sql`
      SELECT other.subject, (SELECT sum(spent_millicents) * 1000 FROM advertisers) AS expected, other.found FROM (
        SELECT 'rows' AS subject, sum(price_millicents) * 1000 AS found FROM impressions
        UNION ALL SELECT 'campaigns', sum(spent_millicents) * 1000 FROM campaigns
        UNION ALL SELECT 'campaign rollups', sum(spent_millicents) * 1000 FROM campaign_rollups
        UNION ALL SELECT 'creatives', sum(spent_millicents) * 1000 FROM creatives
        UNION ALL SELECT 'countries', sum(spent_millicents) * 1000 FROM campaign_countries
        UNION ALL SELECT 'ledger', -sum(amount_microcents) FROM ledger_entries WHERE kind = 'charge') other`,
  },
  {
    check: "whole_earnings",
    pairs: Prisma.sql`
      SELECT other.subject, (SELECT sum(earning_microcents) FROM impressions) AS expected, other.found FROM (
        SELECT 'game rollups' AS subject, sum(earning_microcents) AS found FROM game_rollups
        UNION ALL SELECT 'game totals', sum(earning_microcents) FROM game_totals
        UNION ALL SELECT 'games by campaign', sum(earning_microcents) FROM campaign_games
        UNION ALL SELECT 'ledger', sum(amount_microcents) FROM ledger_entries WHERE kind = 'earning') other`,
  },
];

interface PairsRow {
  compared: bigint;
  expected: string;
  found: string;
  differing: { subject: string; expected: string; found: string }[] | null;
}

/** Every check in one moment of the database, whatever is written meanwhile. */
export function wholeInspection(database: Database, timeoutMs: number): Inspection {
  return {
    name: "whole",
    async look() {
      const comparisons: Comparison[] = [];
      await atOneMoment(database, timeoutMs, async (transaction) => {
        for (const { check, pairs } of QUERIES) {
          const [row] = await transaction.$queryRaw<PairsRow[]>`
            WITH pairs AS (
              SELECT subject, COALESCE(expected, 0) AS expected, COALESCE(found, 0) AS found FROM (${pairs}) AS p
            )
            SELECT count(*) AS compared, COALESCE(sum(expected), 0)::text AS expected,
              COALESCE(sum(found), 0)::text AS found,
              (SELECT json_agg(d) FROM (
                SELECT subject, expected::text, found::text FROM pairs WHERE expected <> found
                ORDER BY subject LIMIT ${DIFFERENCES_READ}) AS d) AS differing
            FROM pairs`;
          if (row !== undefined) comparisons.push(...comparisonsOf(check, row));
        }
      });
      return { comparisons, notCompared: [] };
    },
  };
}

function comparisonsOf(check: CheckName, row: PairsRow): Comparison[] {
  const checks = new Comparisons("");
  for (const { subject, expected, found } of row.differing ?? []) {
    checks.equal(check, subject, BigInt(expected), BigInt(found));
  }
  // The sums of all stand for the rows that agree; sums that differ have rows that do.
  if (row.differing === null)
    checks.equal(check, "all", BigInt(row.expected), BigInt(row.found), Number(row.compared));
  return checks.list;
}
