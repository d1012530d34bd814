import type { PacingFacts } from "@diegetic/ad-rules";
import type { AffinityType, CreativeType } from "@diegetic/contracts";
import { safeInteger } from "@diegetic/database";
import { type Cents, centsToMillicents, type Millicents, priceMillicents } from "@diegetic/money";
import { requireOwnCampaign } from "../campaigns/store.ts";
import type { CallerReads } from "../reading-barrier/caller-reads.ts";
import { isIdentifier } from "../shared/identifiers.ts";
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
  type Query,
  type ScoredRow,
  type SpendingRow,
  type StatsRow,
  spendingQuery,
  statsQuery,
} from "./statements.ts";

/** A campaign that a caller asks about: of its id, and whether it is his, nothing is known yet. */
export interface AskedCampaign {
  reads: CallerReads;
  accountId: string;
  campaignId: string;
}

/**
 * What the question finds in the caller's own campaign, all that was billed before included. Throws 403 when the caller has not
 * registered or the campaign is another's, 404 when there is none.
 */
async function ask<Row extends object>(asked: AskedCampaign, question: Query): Promise<Row[]> {
  const { reads, accountId, campaignId } = asked;
  const possibleId = isIdentifier("camp", campaignId) ? campaignId : null;
  const statement = ownCampaignStatement(accountId, possibleId, question);
  const rows = await reads.rows<OwnCampaignRow & Row>(accountId, statement);
  requireOwnCampaign(rows[0].owner_id, rows[0].caller_id);
  return rows.filter(({ answered }) => answered === true);
}

/** What impressions add up to. */
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

/** Totals of a campaign, all of one moment. */
export interface CampaignStats extends ScoredSums {
  campaignId: string;
  uniqueGames: number;
  budgetCents: Cents;
  topCreativeId: string | null;
  topGameId: string | null;
}

export async function readCampaignStats(asked: AskedCampaign): Promise<CampaignStats> {
  const row = one(await ask<StatsRow>(asked, statsQuery()), asked);
  return {
    ...scoredSumsOf(row),
    campaignId: asked.campaignId,
    uniqueGames: safeInteger(row.unique_games, "unique games"),
    budgetCents: row.budget_cents,
    topCreativeId: row.top_creative_id,
    topGameId: row.top_game_id,
  };
}

/** By day (YYYY-MM-DD), from the first one on; days without impressions are left out. */
export async function readDays(asked: AskedCampaign, firstDay: string): Promise<Map<string, ScoredSums>> {
  const rows = await ask<ScoredRow>(asked, daysQuery(firstDay));
  return new Map(rows.map((row) => [row.key, scoredSumsOf(row)]));
}

/** By country code; empty: unknown place. */
export async function readCountries(asked: AskedCampaign): Promise<Map<string, Sums>> {
  const rows = await ask<BreakdownRow>(asked, countriesQuery());
  return new Map(rows.map((row) => [row.key, sumsOf(row)]));
}

/** What a campaign has spent by game, in all, and whose it is. */
export async function readSpentByGame(
  asked: AskedCampaign,
): Promise<{ advertiserId: string; spentMillicents: Map<string, Millicents> }> {
  const rows = await ask<GameRow>(asked, gamesQuery());
  const spentMillicents = new Map<string, Millicents>();
  for (const { key, spent_millicents } of rows) {
    if (key !== null) spentMillicents.set(key, safeInteger(spent_millicents ?? 0n, "spent"));
  }
  return { advertiserId: one(rows, asked).caller_id, spentMillicents };
}

export interface CreativeSums extends ScoredSums {
  creativeId: string;
  creativeType: CreativeType;
  brandName: string;
}

/** Every creative in use, and every deleted one that had impressions (docs/behaviour.md#rows). */
export async function readCreatives(asked: AskedCampaign): Promise<CreativeSums[]> {
  const rows = await ask<CreativeRow>(asked, creativesQuery());
  return rows.map((row) => ({
    ...scoredSumsOf(row),
    creativeId: row.key,
    creativeType: row.creative_type,
    brandName: row.brand_name,
  }));
}

/** What an affinity has done. */
export interface AffinityInfluence {
  affinityId: string;
  affinityType: AffinityType;
  affinityValue: string;
  weight: number;
  /** Impressions that it contributed to. */
  influenced: number;
  /** What it added to their scores, in millionths. */
  contributionMillionths: bigint;
  /** The campaign's impressions that were matched since it was created. */
  eligible: number;
}

/** In the order of creation. */
export async function readAffinityInfluence(asked: AskedCampaign): Promise<AffinityInfluence[]> {
  const rows = await ask<AffinityRow>(asked, affinitiesQuery());
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
export async function readPacingFacts(asked: AskedCampaign, today: string): Promise<PacingFacts> {
  const row = one(await ask<SpendingRow>(asked, spendingQuery(today)), asked);
  return {
    budgetMillicents: centsToMillicents(row.budget_cents),
    spentMillicents: safeInteger(row.spent_millicents, "spent"),
    dailyCapMillicents: row.daily_cap_cents === null ? null : centsToMillicents(row.daily_cap_cents),
    todaySpentMillicents: safeInteger(row.today_spent_millicents, "spent today"),
    balanceMillicents: safeInteger(row.balance_millicents, "balance"),
    priceMillicents: priceMillicents(row.cpm_bid_cents),
    startDate: row.start_date,
    endDate: row.end_date,
    firstActivatedAtMs: row.first_activated_at === null ? null : row.first_activated_at.getTime(),
  };
}

function one<Row>([row]: Row[], { campaignId }: AskedCampaign): Row {
  if (row === undefined) throw new Error(`campaign ${campaignId} is gone`);
  return row;
}
