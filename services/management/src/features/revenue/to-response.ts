import {
  type AdvertiserEarningsBody,
  type CreatorRevenueBody,
  type EarningsBody,
  type GameAdvertiserListBody,
  type GameRevenueBody,
  MAX_ADVERTISER_BRANDS,
  MAX_ADVERTISER_LINES,
  type RevenueBody,
} from "@diegetic/contracts";
import { safeInteger } from "@diegetic/database";
import {
  basisPointsToPercent,
  centsUp,
  type Microcents,
  microcentsToCentsDown,
  microcentsToNumber,
} from "@diegetic/money";
import type { CsvColumn } from "../../core/shared/csv.ts";
import { decimalCentsOfMicrocents } from "../../core/shared/decimal-cents.ts";
import type { Period } from "../../core/shared/period.ts";
import { balanceCents } from "../advertiser/to-response.ts";
import type {
  AdvertiserEarnings,
  EarningsReport,
  GameAdvertiserRow,
  GameDayEarnings,
} from "./earnings-store.ts";
import type { AdvertiserRevenue, GameDetails, GameEarnings } from "./store.ts";

export function toRevenueResponse(revenue: AdvertiserRevenue): RevenueBody {
  return {
    total_spent_cents: centsUp(revenue.spentMillicents),
    total_spent_millicents: revenue.spentMillicents,
    total_impressions: revenue.impressions,
    active_campaigns: revenue.campaigns.filter(({ status }) => status === "active").length,
    balance_cents: balanceCents(revenue),
    campaigns: revenue.campaigns.map((campaign) => ({
      campaign_id: campaign.id,
      name: campaign.name,
      spent_cents: centsUp(campaign.spentMillicents),
      spent_millicents: campaign.spentMillicents,
      impressions: campaign.impressions,
      status: campaign.status,
    })),
  };
}

function toEarnedResponse(amount: Microcents) {
  return {
    earned_cents: microcentsToCentsDown(amount),
    earned_microcents: microcentsToNumber(amount),
  };
}

function toGameResponse(game: GameEarnings) {
  return {
    game_id: game.gameId,
    ...toEarnedResponse(game.earnedMicrocents),
    impressions: game.impressions,
    revenue_share_pct: basisPointsToPercent(game.revenueShareBasisPoints),
  };
}

export function toCreatorRevenueResponse(games: readonly GameEarnings[]): CreatorRevenueBody {
  const total = games.reduce((sum, game) => sum + game.earnedMicrocents, 0n);
  return {
    total_earned_cents: microcentsToCentsDown(total),
    total_earned_microcents: microcentsToNumber(total),
    total_impressions: games.reduce((sum, game) => sum + game.impressions, 0),
    games_count: games.length,
    games: games.map(toGameResponse),
  };
}

/** @param days the UTC days to return (YYYY-MM-DD), newest first; a day without earnings has zeros */
export function toGameRevenueResponse(
  { game, advertisers, days: earningDays }: GameDetails,
  days: readonly string[],
): GameRevenueBody {
  const byDay = new Map(earningDays.map((row) => [row.name, row]));
  return {
    ...toGameResponse(game),
    top_advertisers: advertisers.map((row) => ({
      advertiser_id: row.name,
      impressions: row.impressions,
      ...toEarnedResponse(row.earnedMicrocents),
    })),
    daily: days.map((date) => {
      const row = byDay.get(date);
      return {
        date,
        impressions: row?.impressions ?? 0,
        ...toEarnedResponse(row?.earnedMicrocents ?? 0n),
      };
    }),
  };
}

export function toGameAdvertiserResponse(row: GameAdvertiserRow): GameAdvertiserListBody[number] {
  const creatives = row.creatives ?? [];
  const lines = creatives.flatMap(([, line]) => (line === null ? [] : [line]));
  return {
    advertiser_id: row.advertiser_id,
    company_name: row.company_name,
    brand_names: [...new Set(creatives.map(([brand]) => brand))].slice(0, MAX_ADVERTISER_BRANDS),
    recent_lines: [...new Set(lines)].slice(0, MAX_ADVERTISER_LINES),
    impressions: safeInteger(row.impressions, "impressions"),
    earned_microcents: microcentsToNumber(BigInt(row.earned)),
    is_blocked: row.is_blocked,
  };
}

function toEarningsSum({ impressions, earnedMicrocents }: EarningsReport<unknown>) {
  return { impressions, earned_microcents: microcentsToNumber(earnedMicrocents) };
}

export function toEarningsResponse(period: Period, earnings: EarningsReport<GameDayEarnings>): EarningsBody {
  return {
    ...period,
    total: toEarningsSum(earnings),
    rows: earnings.rows.map((row) => ({
      date: row.day,
      game_id: row.gameId,
      impressions: row.impressions,
      earned_microcents: microcentsToNumber(row.earnedMicrocents),
    })),
  };
}

/** Amounts in cents with six decimals. */
export const EARNINGS_COLUMNS: readonly CsvColumn<GameDayEarnings>[] = [
  ["date", ({ day }) => day],
  ["game_id", ({ gameId }) => gameId],
  ["impressions", ({ impressions }) => String(impressions)],
  ["earned_cents", ({ earnedMicrocents }) => decimalCentsOfMicrocents(earnedMicrocents)],
];

export function toAdvertiserEarningsResponse(
  period: Period,
  earnings: EarningsReport<AdvertiserEarnings>,
): AdvertiserEarningsBody {
  return {
    ...period,
    total: toEarningsSum(earnings),
    rows: earnings.rows.map((row) => ({
      advertiser_id: row.advertiserId,
      company_name: row.companyName,
      brand_names: row.brandNames,
      impressions: row.impressions,
      earned_microcents: microcentsToNumber(row.earnedMicrocents),
      total_earned_microcents:
        row.totalEarnedMicrocents === null ? null : microcentsToNumber(row.totalEarnedMicrocents),
    })),
  };
}

/** Likewise; an unknown advertiser has empty cells. */
export const ADVERTISER_EARNINGS_COLUMNS: readonly CsvColumn<AdvertiserEarnings>[] = [
  ["advertiser_id", ({ advertiserId }) => advertiserId ?? ""],
  ["company_name", ({ companyName }) => companyName ?? ""],
  ["impressions", ({ impressions }) => String(impressions)],
  ["earned_cents", ({ earnedMicrocents }) => decimalCentsOfMicrocents(earnedMicrocents)],
  [
    "total_earned_cents",
    ({ totalEarnedMicrocents: total }) => (total === null ? "" : decimalCentsOfMicrocents(total)),
  ],
];
