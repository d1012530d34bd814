import type { AffinityType, CreativeType } from "@diegetic/contracts";
import { Prisma } from "@diegetic/database";
import { type CallerRow, callerIs } from "../../core/read-your-writes/caller-reads.ts";

/**
 * Analytics queries on rollups and counters that billing maintains, never on impressions. Each answer comes from one
 * statement, so that its numbers are consistent. Score sums are in millionths, as integers.
 */

/** A query about the caller's own campaign, whose id is `own.id`. */
export type Query = Prisma.Sql;

export interface OwnCampaignRow extends CallerRow {
  /** The campaign's owner; null: there is no such campaign. */
  owner_id: string | null;
  /** Null: the query has no rows, or the campaign belongs to another advertiser. */
  answered: true | null;
}

/**
 * The rows of a query about a campaign, each with the campaign's owner. Reads nothing of another advertiser's campaign.
 * @param campaignId null: not a valid identifier
 */
export function ownCampaignStatement(accountId: string, campaignId: string | null, query: Query): Prisma.Sql {
  return Prisma.sql`
    WITH ${callerIs(accountId)}
    SELECT caller.id AS caller_id, requested.advertiser_id AS owner_id, answer.*,
      CASE WHEN own.id IS NOT NULL THEN caller.written END AS written
    FROM caller
    LEFT JOIN campaigns AS requested ON requested.id = ${campaignId}
    LEFT JOIN LATERAL (SELECT requested.id WHERE requested.advertiser_id = caller.id) AS own ON true
    LEFT JOIN LATERAL (SELECT true AS answered, rows.* FROM (${query}) AS rows) AS answer ON true`;
}

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

export const statsQuery: Query = Prisma.sql`
  SELECT impressions, spent_millicents, budget_cents, unique_users,
    (SELECT count(DISTINCT game_id) FROM campaign_games WHERE campaign_id = own.id) AS unique_games,
    (SELECT (COALESCE(sum(affinity_score_sum), 0) * 1000000)::bigint FROM campaign_rollups
      WHERE campaign_id = own.id) AS score_millionths,
    (SELECT id FROM creatives WHERE campaign_id = own.id AND impressions > 0
      ORDER BY impressions DESC, id COLLATE "C" LIMIT 1) AS top_creative_id,
    (SELECT game_id FROM campaign_games WHERE campaign_id = own.id
      GROUP BY game_id ORDER BY sum(impressions) DESC, game_id COLLATE "C" LIMIT 1) AS top_game_id
  FROM campaigns WHERE id = own.id`;

export interface BreakdownRow {
  /** Day (YYYY-MM-DD) or country code; empty: unknown country. */
  key: string;
  impressions: bigint;
  unique_users: bigint;
  spent_millicents: bigint;
}

export interface ScoredRow extends BreakdownRow {
  score_millionths: bigint;
}

const SCORE = Prisma.sql`(affinity_score_sum * 1000000)::bigint AS score_millionths`;

/** Sums per day with impressions, from `firstDay` (YYYY-MM-DD) on. */
export function daysQuery(firstDay: string): Query {
  return Prisma.sql`
    SELECT to_char(day, 'YYYY-MM-DD') AS key, impressions, spent_millicents, users AS unique_users, ${SCORE}
    FROM campaign_rollups
    WHERE campaign_id = own.id AND day >= ${firstDay}::date`;
}

/** Sums per country with impressions. */
export const countriesQuery: Query = Prisma.sql`
  SELECT country_code AS key, impressions, spent_millicents, users AS unique_users FROM campaign_countries
  WHERE campaign_id = own.id`;

export interface GameRow extends CallerRow {
  /** Null: the campaign has no impressions in any game. */
  key: string | null;
  spent_millicents: bigint | null;
}

/** Returns at least one row. */
export const gamesQuery: Query = Prisma.sql`
  SELECT games.key, games.spent_millicents FROM (VALUES (1)) AS always(one) LEFT JOIN (
    SELECT game_id AS key, sum(spent_millicents)::bigint AS spent_millicents FROM campaign_games
    WHERE campaign_id = own.id GROUP BY game_id
  ) AS games ON true WHERE own.id IS NOT NULL`;

export interface CreativeRow extends ScoredRow {
  creative_type: CreativeType;
  brand_name: string;
}

/** Every current creative, and every deleted one with impressions (docs/behaviour.md#rows). */
export const creativesQuery: Query = Prisma.sql`
  SELECT id AS key, creative_type::text AS creative_type, brand_name, impressions, spent_millicents, unique_users, ${SCORE}
  FROM creatives WHERE campaign_id = own.id AND (deleted_at IS NULL OR impressions > 0)`;

export interface AffinityRow {
  id: string;
  affinity_type: AffinityType;
  affinity_value: string;
  weight: number;
  impressions: bigint;
  contribution_millionths: bigint;
  /** The campaign's impressions that were matched after the affinity was created. */
  eligible_impressions: bigint;
}

/** The campaign's affinities in creation order. */
export const affinitiesQuery: Query = Prisma.sql`
  SELECT id, affinity_type::text AS affinity_type, affinity_value, weight, impressions,
    (contribution_sum * 1000000)::bigint AS contribution_millionths,
    COALESCE((
      SELECT sum(versions.impressions) FROM campaign_version_rollups versions
      WHERE versions.campaign_id = own.id AND versions.campaign_version >= affinities.since_version
    ), 0)::bigint AS eligible_impressions
  FROM affinities WHERE campaign_id = own.id
  ORDER BY created_at, id COLLATE "C"`;

/** The columns of a campaign that pacing depends on, and its advertiser's balance. */
export interface PacingRow {
  budget_cents: number;
  spent_millicents: bigint;
  daily_cap_cents: number | null;
  cpm_bid_cents: number;
  start_date: string | null;
  end_date: string | null;
  first_activated_at: Date | null;
  balance_millicents: bigint;
}

export interface SpendingRow extends PacingRow {
  today_spent_millicents: bigint;
}

/** The inputs of pacing; `today` is YYYY-MM-DD. */
export function spendingQuery(today: string): Query {
  return Prisma.sql`
    SELECT budget_cents, spent_millicents, daily_cap_cents, cpm_bid_cents, start_date, end_date, first_activated_at,
      COALESCE((
        SELECT sum(rollups.spent_millicents) FROM campaign_rollups rollups
        WHERE rollups.campaign_id = own.id AND rollups.day = ${today}::date
      ), 0)::bigint AS today_spent_millicents,
      (
        SELECT advertisers.deposited_millicents - advertisers.spent_millicents FROM advertisers
        WHERE advertisers.id = campaigns.advertiser_id
      ) AS balance_millicents
    FROM campaigns WHERE id = own.id`;
}
