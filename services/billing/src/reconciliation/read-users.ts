import type { Transaction } from "@diegetic/database";
import type { CampaignBalances } from "./balances.ts";

/**
 * Per campaign: remembered and counted players, summed over all parts, and how many parts differ. Each count reads rows
 * in key order or by hash; a single count of distinct players would sort all rows.
 */
export async function readUsers(
  transaction: Transaction,
  campaignIds: string[],
): Promise<Map<string, CampaignBalances["uniqueUsers"]>> {
  const rows = await transaction.$queryRaw<
    { campaign_id: string; rows: bigint; counted: bigint; differing: bigint }[]
  >`
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
    SELECT campaign_id, COALESCE(sum(known.users), 0)::bigint AS rows,
      COALESCE(sum(counts.users), 0)::bigint AS counted,
      count(*) FILTER (WHERE known.users IS DISTINCT FROM counts.users) AS differing
    FROM known FULL JOIN counts USING (campaign_id, dimension, key) GROUP BY campaign_id`;
  return new Map(rows.map(({ campaign_id, ...users }) => [campaign_id, users]));
}
