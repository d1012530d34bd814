import type { AffinityType } from "@diegetic/contracts";
import { dateOfDay, Prisma } from "@diegetic/database";

/**
 * What analytics ask of Postgres: rollups and counters that billing keeps, never the impressions. Each answer comes
 * from one statement, so that its numbers belong together. Sums of scores are in millionths, which are whole numbers.
 */

export interface StatsRow {
  impressions: bigint;
  unique_users: bigint;
  unique_games: bigint;
  spent_millicents: bigint;
  budget_cents: number;
  score_millionths: bigint;
  top_creative_id: string | null;
  top_game_id: string | null;
}

export function statsStatement(campaignId: string): Prisma.Sql {
  const top = (dimension: "creative" | "game") => Prisma.sql`(
        SELECT dimension_key FROM campaign_breakdowns
        WHERE campaign_id = ${campaignId} AND dimension = ${dimension}::breakdown_dimension
        ORDER BY impressions DESC, dimension_key COLLATE "C" LIMIT 1)`;
  return Prisma.sql`
    SELECT impressions, spent_millicents, budget_cents, unique_users,
      (SELECT count(*) FROM campaign_breakdowns WHERE campaign_id = ${campaignId} AND dimension = 'game') AS unique_games,
      (SELECT (COALESCE(sum(affinity_score_sum), 0) * 1000000)::bigint FROM campaign_rollups
        WHERE campaign_id = ${campaignId}) AS score_millionths,
      ${top("creative")} AS top_creative_id,
      ${top("game")} AS top_game_id
    FROM campaigns WHERE id = ${campaignId}`;
}

/** What a campaign's impressions are broken down by. */
export type Dimension = "day" | "creative" | "country";

export interface BreakdownRow {
  /** Day (YYYY-MM-DD), creative id or country code; empty: unknown place. */
  key: string;
  impressions: bigint;
  unique_users: bigint;
  spent_millicents: bigint;
  score_millionths: bigint;
}

/** Sums by the members of one dimension that had impressions; `firstDay` (YYYY-MM-DD) leaves out earlier days. */
export function breakdownStatement(campaignId: string, dimension: Dimension, firstDay?: string): Prisma.Sql {
  const sums = Prisma.sql`impressions, spent_millicents, users AS unique_users,
      (affinity_score_sum * 1000000)::bigint AS score_millionths`;
  if (dimension !== "day") {
    return Prisma.sql`
      SELECT dimension_key AS key, ${sums} FROM campaign_breakdowns
      WHERE campaign_id = ${campaignId} AND dimension = ${dimension}::breakdown_dimension`;
  }
  const since = firstDay === undefined ? Prisma.empty : Prisma.sql`AND day >= ${dateOfDay(firstDay)}::date`;
  return Prisma.sql`
      SELECT to_char(day, 'YYYY-MM-DD') AS key, ${sums} FROM campaign_rollups
      WHERE campaign_id = ${campaignId} ${since}`;
}

export interface AffinityRow {
  id: string;
  affinity_type: AffinityType;
  affinity_value: string;
  weight: number;
  impressions: bigint;
  contribution_millionths: bigint;
  /** The campaign's impressions that were matched since the affinity was created. */
  eligible_impressions: bigint;
}

/** The campaign's affinities in the order of creation. */
export function affinitiesStatement(campaignId: string): Prisma.Sql {
  return Prisma.sql`
    SELECT id, affinity_type::text AS affinity_type, affinity_value, weight, impressions,
      (contribution_sum * 1000000)::bigint AS contribution_millionths,
      COALESCE((
        SELECT sum(versions.impressions) FROM campaign_version_rollups versions
        WHERE versions.campaign_id = ${campaignId} AND versions.campaign_version >= affinities.since_version
      ), 0)::bigint AS eligible_impressions
    FROM affinities WHERE campaign_id = ${campaignId}
    ORDER BY created_at, id COLLATE "C"`;
}

export interface SpendingRow {
  budget_cents: number;
  spent_millicents: bigint;
  daily_cap_cents: number | null;
  cpm_bid_cents: number;
  start_date: string | null;
  end_date: string | null;
  first_activated_at: Date | null;
  today_spent_millicents: bigint;
  balance_millicents: bigint;
}

/** What pacing looks at; `today` is YYYY-MM-DD. */
export function spendingStatement(campaignId: string, today: string): Prisma.Sql {
  return Prisma.sql`
    SELECT budget_cents, spent_millicents, daily_cap_cents, cpm_bid_cents, start_date, end_date, first_activated_at,
      COALESCE((
        SELECT sum(rollups.spent_millicents) FROM campaign_rollups rollups
        WHERE rollups.campaign_id = ${campaignId} AND rollups.day = ${dateOfDay(today)}::date
      ), 0)::bigint AS today_spent_millicents,
      (
        SELECT advertisers.deposited_millicents - advertisers.spent_millicents FROM advertisers
        WHERE advertisers.id = campaigns.advertiser_id
      ) AS balance_millicents
    FROM campaigns WHERE id = ${campaignId}`;
}
