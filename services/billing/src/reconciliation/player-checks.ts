import type { Database } from "@diegetic/database";
import { pageAfter, pagesOf } from "../loops/pages.ts";
import {
  type Check,
  equal,
  type Inspection,
  idsOf,
  moneyCheck,
  type PairsOf,
  pageInspection,
  readingOf,
} from "./comparison.ts";

const CAMPAIGNS_PER_PAGE = 200;

/** The players of a campaign. */
interface UniqueUsers {
  /** The campaign. */
  id: string;
  reachedUsers: bigint;
  countedUsers: bigint;
  /** Members whose count is wrong. */
  differingUsers: bigint;
}

const PLAYER_CHECKS: readonly Check<PairsOf<UniqueUsers>>[] = [
  moneyCheck("unique_users", "Unique players: rows = counts", (c) => [
    equal(c.id, c.reachedUsers, c.countedUsers),
    equal(`${c.id} by member`, 0, c.differingUsers),
  ]),
];

/** Compares the counted players of every campaign with the remembered ones, page by page. */
export async function* playerInspections(database: Database): AsyncGenerator<Inspection> {
  const read = (after: string) =>
    database.campaign.findMany({ ...pageAfter(after, CAMPAIGNS_PER_PAGE), select: { id: true } });
  for await (const page of pagesOf(read)) {
    yield pageInspection(idsOf(page), async (ids) =>
      readingOf(PLAYER_CHECKS, await readUsers(database, ids)),
    );
  }
}

/**
 * Per campaign with players: remembered and counted ones, summed over all parts, and how many parts differ. Each count reads
 * rows in key order or by hash; a single count of distinct players would sort all rows.
 */
function readUsers(database: Database, ids: readonly string[]): Promise<UniqueUsers[]> {
  const campaignIds = [...ids];
  return database.$queryRaw<UniqueUsers[]>`
    WITH known AS (
      SELECT campaign_id, 'total' AS dimension, '' AS key, count(*) AS users
      FROM (SELECT DISTINCT campaign_id, user_hash FROM reached_users WHERE campaign_id = ANY(${campaignIds})) AS reached
      GROUP BY campaign_id
      UNION ALL
      SELECT campaign_id, 'day', day::text, count(*)
      FROM (SELECT DISTINCT campaign_id, user_hash, day FROM reached_users
        WHERE campaign_id = ANY(${campaignIds})) AS reached
      GROUP BY campaign_id, day
      UNION ALL
      SELECT campaign_id, 'creative', creative_id, count(*)
      FROM (SELECT DISTINCT campaign_id, user_hash, creative_id FROM reached_users
        WHERE campaign_id = ANY(${campaignIds})) AS reached
      GROUP BY campaign_id, creative_id
      UNION ALL
      SELECT campaign_id, 'country', country_code, count(*)
      FROM (SELECT DISTINCT campaign_id, user_hash, country_code FROM reached_users
        WHERE campaign_id = ANY(${campaignIds})) AS reached
      GROUP BY campaign_id, country_code
    ), counts AS (
      SELECT id AS campaign_id, 'total' AS dimension, '' AS key, unique_users AS users FROM campaigns
      WHERE id = ANY(${campaignIds}) AND unique_users > 0
      UNION ALL
      SELECT campaign_id, 'day', day::text, users FROM campaign_rollups WHERE campaign_id = ANY(${campaignIds})
      UNION ALL
      SELECT campaign_id, 'creative', id, unique_users FROM creatives
      WHERE campaign_id = ANY(${campaignIds}) AND impressions > 0
      UNION ALL
      SELECT campaign_id, 'country', country_code, users FROM campaign_countries
      WHERE campaign_id = ANY(${campaignIds})
    )
    SELECT campaign_id AS id, COALESCE(sum(known.users), 0)::bigint AS "reachedUsers",
      COALESCE(sum(counts.users), 0)::bigint AS "countedUsers",
      count(*) FILTER (WHERE known.users IS DISTINCT FROM counts.users) AS "differingUsers"
    FROM known FULL JOIN counts USING (campaign_id, dimension, key) GROUP BY campaign_id`;
}
