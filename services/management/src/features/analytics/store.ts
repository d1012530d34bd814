import type { PacingFacts } from "@diegetic/ad-rules";
import { safeInteger } from "@diegetic/database";
import { centsToMillicents, type Millicents, priceMillicents } from "@diegetic/money";
import { requireOwnCampaign } from "../../core/campaigns/store.ts";
import type { CallerReads } from "../../core/read-your-writes/caller-reads.ts";
import { isIdentifier } from "../../core/shared/identifiers.ts";
import {
  type AffinityRow,
  affinitiesQuery,
  type CountryRow,
  type CreativeRow,
  countriesQuery,
  creativesQuery,
  type DayRow,
  daysQuery,
  type GameRow,
  gamesQuery,
  type OwnCampaignRow,
  ownCampaignStatement,
  type PacingRow,
  type Query,
  type SpendingRow,
  type StatsRow,
  type SumsRow,
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

/** The row with its sums as numbers. */
function summed<Row extends SumsRow>(row: Row): Omit<Row, keyof SumsRow> & Sums {
  return {
    ...row,
    impressions: safeInteger(row.impressions, "impressions"),
    uniqueUsers: safeInteger(row.uniqueUsers, "unique users"),
    spentMillicents: safeInteger(row.spentMillicents, "spent"),
  };
}

/** Totals of a campaign, read at one moment. */
export type CampaignStats = Omit<StatsRow, keyof SumsRow> & Sums;

export async function readCampaignStats(requested: RequestedCampaign): Promise<CampaignStats> {
  return summed(one(await readRows<StatsRow>(requested, statsQuery), requested));
}

/** By day (YYYY-MM-DD), from the first day on; without days that have no impressions. */
export async function readDays(
  requested: RequestedCampaign,
  firstDay: string,
): Promise<Map<string, ScoredSums>> {
  const rows = await readRows<DayRow>(requested, daysQuery(firstDay));
  return new Map(rows.map((row) => [row.day, summed(row)]));
}

/** By country code; empty: unknown country. */
export async function readCountries(requested: RequestedCampaign): Promise<Map<string, Sums>> {
  const rows = await readRows<CountryRow>(requested, countriesQuery);
  return new Map(rows.map((row) => [row.countryCode, summed(row)]));
}

/** Total spending of a campaign by game, with its advertiser. */
export async function readSpentByGame(
  requested: RequestedCampaign,
): Promise<{ advertiserId: string; spentMillicents: Map<string, Millicents> }> {
  const rows = await readRows<GameRow>(requested, gamesQuery);
  const spent = new Map<string, Millicents>();
  for (const { gameId, spentMillicents } of rows) {
    if (gameId !== null) spent.set(gameId, safeInteger(spentMillicents ?? 0n, "spent"));
  }
  return { advertiserId: one(rows, requested).caller_id, spentMillicents: spent };
}

export type CreativeSums = Omit<CreativeRow, keyof SumsRow> & Sums;

/** Every current creative, and every deleted one with impressions (docs/behaviour.md#rows). */
export async function readCreatives(requested: RequestedCampaign): Promise<CreativeSums[]> {
  return (await readRows<CreativeRow>(requested, creativesQuery)).map(summed);
}

/** In creation order. */
export function readAffinityInfluence(requested: RequestedCampaign): Promise<AffinityRow[]> {
  return readRows<AffinityRow>(requested, affinitiesQuery);
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
