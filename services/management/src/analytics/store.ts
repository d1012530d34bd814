import type { PacingFacts } from "@diegetic/ad-rules";
import type { AffinityType, CreativeType } from "@diegetic/contracts";
import { type Database, safeInteger } from "@diegetic/database";
import { type Cents, centsToMillicents, type Millicents, priceMillicents } from "@diegetic/money";
import {
  type AffinityRow,
  affinitiesStatement,
  type BreakdownRow,
  breakdownStatement,
  type Dimension,
  type SpendingRow,
  type StatsRow,
  spendingStatement,
  statsStatement,
} from "./statements.ts";

/** What impressions add up to. */
export interface Sums {
  impressions: number;
  uniqueUsers: number;
  spentMillicents: Millicents;
  /** Sum of the affinity scores in millionths. */
  scoreMillionths: bigint;
}

export const noImpressions: Sums = {
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
    scoreMillionths: row.score_millionths,
  };
}

/** Totals of a campaign, all of one moment. */
export interface CampaignStats extends Sums {
  campaignId: string;
  uniqueGames: number;
  budgetCents: Cents;
  topCreativeId: string | null;
  topGameId: string | null;
}

export async function readCampaignStats(database: Database, campaignId: string): Promise<CampaignStats> {
  const row = one(await database.$queryRaw<StatsRow[]>(statsStatement(campaignId)), campaignId);
  return {
    ...sumsOf(row),
    campaignId,
    uniqueGames: safeInteger(row.unique_games, "unique games"),
    budgetCents: row.budget_cents,
    topCreativeId: row.top_creative_id,
    topGameId: row.top_game_id,
  };
}

/** Sums by the members of the dimension that had impressions; `firstDay` (YYYY-MM-DD) leaves out earlier days. */
export async function readBreakdown(
  database: Database,
  campaignId: string,
  dimension: Dimension,
  firstDay?: string,
): Promise<Map<string, Sums>> {
  const statement = breakdownStatement(campaignId, dimension, firstDay);
  const rows = await database.$queryRaw<BreakdownRow[]>(statement);
  return new Map(rows.map((row) => [row.key, sumsOf(row)]));
}

export interface NamedCreative {
  id: string;
  creativeType: CreativeType;
  brandName: string;
  deletedAt: Date | null;
}

/** All creatives that the campaign ever had. */
export function readAllCreatives(database: Database, campaignId: string): Promise<NamedCreative[]> {
  return database.creative.findMany({
    where: { campaignId },
    select: { id: true, creativeType: true, brandName: true, deletedAt: true },
  });
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
export async function readAffinityInfluence(
  database: Database,
  campaignId: string,
): Promise<AffinityInfluence[]> {
  const rows = await database.$queryRaw<AffinityRow[]>(affinitiesStatement(campaignId));
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
export async function readPacingFacts(
  database: Database,
  campaignId: string,
  today: string,
): Promise<PacingFacts> {
  const row = one(await database.$queryRaw<SpendingRow[]>(spendingStatement(campaignId, today)), campaignId);
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

function one<Row>([row]: Row[], campaignId: string): Row {
  if (row === undefined) throw new Error(`campaign ${campaignId} is gone`);
  return row;
}
