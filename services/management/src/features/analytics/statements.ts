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

/** Sums over impressions. */
export interface SumsRow {
  impressions: bigint;
  uniqueUsers: bigint;
  spentMillicents: bigint;
}

export interface ScoredRow extends SumsRow {
  scoreMillionths: bigint;
}

export interface StatsRow extends ScoredRow {
  uniqueGames: bigint;
  budgetCents: number;
  topCreativeId: string | null;
  topGameId: string | null;
}

export const statsQuery: Query = Prisma.sql`
  SELECT impressions, spent_millicents AS "spentMillicents", budget_cents AS "budgetCents", unique_users AS "uniqueUsers",
    (SELECT count(DISTINCT game_id) FROM campaign_games WHERE campaign_id = own.id) AS "uniqueGames",
    (SELECT (COALESCE(sum(affinity_score_sum), 0) * 1000000)::bigint FROM campaign_rollups
      WHERE campaign_id = own.id) AS "scoreMillionths",
    (SELECT id FROM creatives WHERE campaign_id = own.id AND impressions > 0
      ORDER BY impressions DESC, id COLLATE "C" LIMIT 1) AS "topCreativeId",
    (SELECT game_id FROM campaign_games WHERE campaign_id = own.id
      GROUP BY game_id ORDER BY sum(impressions) DESC, game_id COLLATE "C" LIMIT 1) AS "topGameId"
  FROM campaigns WHERE id = own.id`;

const SCORE = Prisma.sql`(affinity_score_sum * 1000000)::bigint AS "scoreMillionths"`;

export interface DayRow extends ScoredRow {
  /** YYYY-MM-DD */
  day: string;
}

/** Sums per day with impressions, from `firstDay` (YYYY-MM-DD) on. */
export function daysQuery(firstDay: string): Query {
  return Prisma.sql`
    SELECT to_char(day, 'YYYY-MM-DD') AS day, impressions, spent_millicents AS "spentMillicents", users AS "uniqueUsers",
      ${SCORE}
    FROM campaign_rollups
    WHERE campaign_id = own.id AND day >= ${firstDay}::date`;
}

export interface CountryRow extends SumsRow {
  /** Empty: unknown country. */
  countryCode: string;
}

/** Sums per country with impressions. */
export const countriesQuery: Query = Prisma.sql`
  SELECT country_code AS "countryCode", impressions, spent_millicents AS "spentMillicents", users AS "uniqueUsers"
  FROM campaign_countries WHERE campaign_id = own.id`;

export interface GameRow extends CallerRow {
  /** Null: the campaign has no impressions in any game. */
  gameId: string | null;
  spentMillicents: bigint | null;
}

/** Returns at least one row. */
export const gamesQuery: Query = Prisma.sql`
  SELECT games.* FROM (VALUES (1)) AS always(one) LEFT JOIN (
    SELECT game_id AS "gameId", sum(spent_millicents)::bigint AS "spentMillicents" FROM campaign_games
    WHERE campaign_id = own.id GROUP BY game_id
  ) AS games ON true WHERE own.id IS NOT NULL`;

export interface CreativeRow extends ScoredRow {
  creativeId: string;
  creativeType: CreativeType;
  brandName: string;
}

/** Every current creative, and every deleted one with impressions (docs/behaviour.md#rows). */
export const creativesQuery: Query = Prisma.sql`
  SELECT id AS "creativeId", creative_type::text AS "creativeType", brand_name AS "brandName", impressions,
    spent_millicents AS "spentMillicents", unique_users AS "uniqueUsers", ${SCORE}
  FROM creatives WHERE campaign_id = own.id AND (deleted_at IS NULL OR impressions > 0)`;

/** The influence of an affinity. */
export interface AffinityRow {
  affinityId: string;
  affinityType: AffinityType;
  affinityValue: string;
  weight: number;
  /** Impressions that it contributed to. */
  influenced: bigint;
  /** Sum of its contributions to their scores. */
  contributionMillionths: bigint;
  /** The campaign's impressions that were matched after its creation. */
  eligible: bigint;
}

/** The campaign's affinities in creation order. Reads the campaign's versions once, not for each affinity. */
export const affinitiesQuery: Query = Prisma.sql`
  WITH own_affinities AS (SELECT * FROM affinities WHERE campaign_id = own.id),
  starts AS MATERIALIZED (SELECT array_agg(DISTINCT since_version ORDER BY since_version) AS versions FROM own_affinities),
  -- By the number of starts that are not after the version.
  spans AS MATERIALIZED (
    SELECT width_bucket(rollups.campaign_version, starts.versions) AS started, sum(rollups.impressions) AS impressions
    FROM starts CROSS JOIN campaign_version_rollups AS rollups
    WHERE rollups.campaign_id = own.id AND rollups.campaign_version >= starts.versions[1] GROUP BY 1
  )
  SELECT id AS "affinityId", affinity_type::text AS "affinityType", affinity_value AS "affinityValue", weight,
    own_affinities.impressions AS influenced, (contribution_sum * 1000000)::bigint AS "contributionMillionths",
    COALESCE((
      SELECT sum(spans.impressions) FROM spans WHERE spans.started >= width_bucket(since_version, starts.versions)
    ), 0)::bigint AS eligible
  FROM own_affinities CROSS JOIN starts
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
