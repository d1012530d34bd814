import type { Database } from "@diegetic/database";
import { safeInteger } from "@diegetic/database";

/** Totals of a campaign, all of one moment. */
export interface CampaignStats {
  campaignId: string;
  impressions: number;
  uniqueUsers: number;
  uniqueGames: number;
  spentMillicents: number;
  budgetCents: number;
  affinityScoreSum: number;
  topCreativeId: string | null;
  topGameId: string | null;
}

interface StatsRow {
  impressions: bigint;
  unique_users: bigint;
  unique_games: bigint;
  spent_millicents: bigint;
  budget_cents: number;
  affinity_score_sum: string;
  top_creative_id: string | null;
  top_game_id: string | null;
}

/** Reads rollups, never impressions; one statement, so that the numbers belong together. */
export async function readCampaignStats(database: Database, campaignId: string): Promise<CampaignStats> {
  const [row] = await database.$queryRaw<StatsRow[]>`
    WITH rows AS (SELECT * FROM campaign_rollups WHERE campaign_id = ${campaignId})
    SELECT
      campaigns.impressions,
      campaigns.spent_millicents,
      campaigns.budget_cents,
      COALESCE((
        SELECT users FROM unique_user_counts
        WHERE campaign_id = ${campaignId} AND dimension = 'total' AND dimension_key = ''
      ), 0)::bigint AS unique_users,
      (SELECT count(DISTINCT game_id) FROM rows) AS unique_games,
      (SELECT COALESCE(sum(affinity_score_sum), 0)::text FROM rows) AS affinity_score_sum,
      (SELECT creative_id FROM rows GROUP BY creative_id
        ORDER BY sum(impressions) DESC, creative_id COLLATE "C" LIMIT 1) AS top_creative_id,
      (SELECT game_id FROM rows GROUP BY game_id
        ORDER BY sum(impressions) DESC, game_id COLLATE "C" LIMIT 1) AS top_game_id
    FROM campaigns WHERE id = ${campaignId}`;
  if (row === undefined) throw new Error(`campaign ${campaignId} is gone`);
  return {
    campaignId,
    impressions: safeInteger(row.impressions, "impressions"),
    uniqueUsers: safeInteger(row.unique_users, "unique users"),
    uniqueGames: safeInteger(row.unique_games, "unique games"),
    spentMillicents: safeInteger(row.spent_millicents, "spent"),
    budgetCents: row.budget_cents,
    affinityScoreSum: Number(row.affinity_score_sum),
    topCreativeId: row.top_creative_id,
    topGameId: row.top_game_id,
  };
}
