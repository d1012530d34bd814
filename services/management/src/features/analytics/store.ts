import type { PacingFacts } from "@diegetic/ad-rules";
import type { AffinityType, CreativeType } from "@diegetic/contracts";
import { safeInteger } from "@diegetic/database";
import { type Cents, centsToMillicents, type Millicents, priceMillicents } from "@diegetic/money";
import { requireOwnCampaign } from "../../core/campaigns/store.ts";
import type { CallerReads } from "../../core/read-your-writes/caller-reads.ts";
import { isIdentifier } from "../../core/shared/identifiers.ts";
import {
  type AffinityRow,
  affinitiesQuery,
  type BreakdownRow,
  type CreativeRow,
  countriesQuery,
  creativesQuery,
  daysQuery,
  type GameRow,
  gamesQuery,
  type OwnCampaignRow,
  ownCampaignStatement,
  type PacingRow,
  type Query,
  type ScoredRow,
  type SpendingRow,
  type StatsRow,
  spendingQuery,
  statsQuery,
} from "./statements.ts";

/** A requested campaign, before its id and ownership are checked. */
export interface RequestedCampaign {
  reads: CallerReads;
  accountId: string;
  campaignId: string;
}

/**
 * Rows of a query about the caller's own campaign, including everything billed before. Throws 403 before registration
 * and for another advertiser's campaign, 404 when the campaign does not exist.
 */
async function readRows<Row extends object>(requested: RequestedCampaign, query: Query): Promise<Row[]> {
  const { reads, accountId, campaignId } = requested;
  const possibleId = isIdentifier("camp", campaignId) ? campaignId : null;
  const statement = ownCampaignStatement(accountId, possibleId, query);
  const rows = await reads.rows<OwnCampaignRow & Row>(accountId, statement);
  requireOwnCampaign(rows[0].owner_id, rows[0].caller_id);
  return rows.filter(({ answered }) => answered === true);
}

/** Sums over impressions. */
export interface Sums {
  impressions: number;
  uniqueUsers: number;
  spentMillicents: Millicents;
}

export interface ScoredSums extends Sums {
  /** Sum of the affinity scores in millionths. */
  scoreMillionths: bigint;
}

export const noImpressions: ScoredSums = {
  impressions: 0,
  uniqueUsers: 0,
  spentMillicents: 0,
  scoreMillionths: 0n,
};

function sumsOf(row: Omit<BreakdownRow, "key">): Sums {
  return {
    impressions: safeInteger(row.impressions, "impressions"),
    uniqueUsers: safeInteger(row.unique_users, "unique users"),
    spentMillicents: safeInteger(row.spent_millicents, "spent"),
  };
}

function scoredSumsOf(row: Omit<ScoredRow, "key">): ScoredSums {
  return { ...sumsOf(row), scoreMillionths: row.score_millionths };
}

/** Totals of a campaign, read at one moment. */
export interface CampaignStats extends ScoredSums {
  campaignId: string;
  uniqueGames: number;
  budgetCents: Cents;
  topCreativeId: string | null;
  topGameId: string | null;
}

export async function readCampaignStats(requested: RequestedCampaign): Promise<CampaignStats> {
  const row = one(await readRows<StatsRow>(requested, statsQuery), requested);
  return {
    ...scoredSumsOf(row),
    campaignId: requested.campaignId,
    uniqueGames: safeInteger(row.unique_games, "unique games"),
    budgetCents: row.budget_cents,
    topCreativeId: row.top_creative_id,
    topGameId: row.top_game_id,
  };
}

/** By day (YYYY-MM-DD), from the first day on; without days that have no impressions. */
export async function readDays(
  requested: RequestedCampaign,
  firstDay: string,
): Promise<Map<string, ScoredSums>> {
  const rows = await readRows<ScoredRow>(requested, daysQuery(firstDay));
  return new Map(rows.map((row) => [row.key, scoredSumsOf(row)]));
}

/** By country code; empty: unknown country. */
export async function readCountries(requested: RequestedCampaign): Promise<Map<string, Sums>> {
  const rows = await readRows<BreakdownRow>(requested, countriesQuery);
  return new Map(rows.map((row) => [row.key, sumsOf(row)]));
}

/** Total spending of a campaign by game, with its advertiser. */
export async function readSpentByGame(
  requested: RequestedCampaign,
): Promise<{ advertiserId: string; spentMillicents: Map<string, Millicents> }> {
  const rows = await readRows<GameRow>(requested, gamesQuery);
  const spentMillicents = new Map<string, Millicents>();
  for (const { key, spent_millicents } of rows) {
    if (key !== null) spentMillicents.set(key, safeInteger(spent_millicents ?? 0n, "spent"));
  }
  return { advertiserId: one(rows, requested).caller_id, spentMillicents };
}

export interface CreativeSums extends ScoredSums {
  creativeId: string;
  creativeType: CreativeType;
  brandName: string;
}

/** Every current creative, and every deleted one with impressions (docs/behaviour.md#rows). */
export async function readCreatives(requested: RequestedCampaign): Promise<CreativeSums[]> {
  const rows = await readRows<CreativeRow>(requested, creativesQuery);
  return rows.map((row) => ({
    ...scoredSumsOf(row),
    creativeId: row.key,
    creativeType: row.creative_type,
    brandName: row.brand_name,
  }));
}

/** The influence of an affinity. */
export interface AffinityInfluence {
  affinityId: string;
  affinityType: AffinityType;
  affinityValue: string;
  weight: number;
  /** Impressions that it contributed to. */
  influenced: number;
  /** Sum of its contributions to their scores, in millionths. */
  contributionMillionths: bigint;
  /** The campaign's impressions that were matched after its creation. */
  eligible: number;
}

/** In creation order. */
export async function readAffinityInfluence(requested: RequestedCampaign): Promise<AffinityInfluence[]> {
  const rows = await readRows<AffinityRow>(requested, affinitiesQuery);
  return rows.map((row) => ({
    affinityId: row.id,
    affinityType: row.affinity_type,
    affinityValue: row.affinity_value,
    weight: row.weight,
    influenced: safeInteger(row.impressions, "impressions"),
    contributionMillionths: row.contribution_millionths,
    eligible: safeInteger(row.eligible_impressions, "eligible impressions"),
  }));
}

/** `today`: YYYY-MM-DD. */
export async function readPacingFacts(requested: RequestedCampaign, today: string): Promise<PacingFacts> {
  const row = one(await readRows<SpendingRow>(requested, spendingQuery(today)), requested);
  return pacingFactsOf(row, safeInteger(row.today_spent_millicents, "spent today"));
}

export function pacingFactsOf(row: PacingRow, todaySpentMillicents: Millicents): PacingFacts {
  return {
    budgetMillicents: centsToMillicents(row.budget_cents),
    spentMillicents: safeInteger(row.spent_millicents, "spent"),
    dailyCapMillicents: row.daily_cap_cents === null ? null : centsToMillicents(row.daily_cap_cents),
    todaySpentMillicents,
    balanceMillicents: safeInteger(row.balance_millicents, "balance"),
    priceMillicents: priceMillicents(row.cpm_bid_cents),
    startDate: row.start_date,
    endDate: row.end_date,
    firstActivatedAtMs: row.first_activated_at === null ? null : row.first_activated_at.getTime(),
  };
}

function one<Row>([row]: Row[], { campaignId }: RequestedCampaign): Row {
  if (row === undefined) throw new Error(`campaign ${campaignId} is gone`);
  return row;
}
