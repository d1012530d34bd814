import type { Pacing, PacingFacts } from "@diegetic/ad-rules";
import type {
  AffinityAnalyticsBody,
  CampaignStatsBody,
  CreativeAnalyticsBody,
  DailyAnalyticsBody,
  GameAnalyticsBody,
  GeoAnalyticsBody,
  PacingBody,
} from "@diegetic/contracts";
import { safeInteger } from "@diegetic/database";
import type { CampaignGames } from "@diegetic/hot-state";
import { centsDown, centsHalfUp, centsUp, effectiveCpmCents } from "@diegetic/money";
import { meanOfMillionths, ratio } from "./ratio.ts";
import type { AffinityRow } from "./statements.ts";
import { type CampaignStats, type CreativeSums, noImpressions, type ScoredSums, type Sums } from "./store.ts";

export function toCampaignStatsResponse(campaignId: string, stats: CampaignStats): CampaignStatsBody {
  return {
    campaign_id: campaignId,
    impressions: stats.impressions,
    unique_users: stats.uniqueUsers,
    unique_games: safeInteger(stats.uniqueGames, "unique games"),
    spent_cents: centsUp(stats.spentMillicents),
    spent_millicents: stats.spentMillicents,
    budget_cents: stats.budgetCents,
    effective_cpm_cents: effectiveCpmCents(stats.spentMillicents, stats.impressions),
    avg_affinity_score: meanOfMillionths(stats.scoreMillionths, stats.impressions),
    top_creative_id: stats.topCreativeId,
    top_game_id: stats.topGameId,
  };
}

/** The numbers of a row, rounded half up (docs/behaviour.md#rounding). */
function toSumsResponse(sums: Sums) {
  return {
    impressions: sums.impressions,
    unique_users: sums.uniqueUsers,
    spent_cents: centsHalfUp(sums.spentMillicents),
    spent_millicents: sums.spentMillicents,
  };
}

function toScoredSumsResponse(sums: ScoredSums) {
  return {
    ...toSumsResponse(sums),
    avg_affinity_score: meanOfMillionths(sums.scoreMillionths, sums.impressions),
  };
}

/** @param days the UTC days to return (YYYY-MM-DD), newest first; a day without impressions has zeros */
export function toDaysResponse(
  campaignId: string,
  days: readonly string[],
  byDay: ReadonlyMap<string, ScoredSums>,
): DailyAnalyticsBody {
  return {
    campaign_id: campaignId,
    days: days.map((date) => ({ date, ...toScoredSumsResponse(byDay.get(date) ?? noImpressions) })),
  };
}

export function toCreativesResponse(
  campaignId: string,
  creatives: readonly CreativeSums[],
): CreativeAnalyticsBody {
  const rows = creatives.map((creative) => ({
    creative_id: creative.creativeId,
    creative_type: creative.creativeType,
    brand_name: creative.brandName,
    ...toScoredSumsResponse(creative),
  }));
  return {
    campaign_id: campaignId,
    creatives: rows.sort((a, b) => byImpressionsDescending(a, b) || byText(a.creative_id, b.creative_id)),
  };
}

/** The unknown country comes last, whatever its count (docs/behaviour.md#rows). */
export function toCountriesResponse(
  campaignId: string,
  byCountry: ReadonlyMap<string, Sums>,
): GeoAnalyticsBody {
  const rows = [...byCountry].map(([code, sums]) => ({
    country_code: code || null,
    ...toSumsResponse(sums),
  }));
  return {
    campaign_id: campaignId,
    countries: rows.sort((a, b) => {
      if (a.country_code === null || b.country_code === null) return a.country_code === null ? 1 : -1;
      return byImpressionsDescending(a, b) || byText(a.country_code, b.country_code);
    }),
  };
}

/** Each impression had a match, so matches are at least impressions, even if Redis lost the counts of matches. */
export function toGamesResponse(
  campaignId: string,
  spentMillicents: ReadonlyMap<string, number>,
  { matches, impressions, heldMillicents, openHolds }: CampaignGames,
): GameAnalyticsBody {
  const ids = new Set<string | null>([
    ...spentMillicents.keys(),
    ...matches.keys(),
    ...impressions.keys(),
    ...heldMillicents.keys(),
  ]);
  const rows = [...ids].map((gameId) => {
    const seen = impressions.get(gameId) ?? 0;
    const matched = Math.max(matches.get(gameId) ?? 0, seen);
    const spent = gameId === null ? 0 : (spentMillicents.get(gameId) ?? 0);
    const held = gameId === null ? 0 : (heldMillicents.get(gameId) ?? 0);
    return {
      game_id: gameId,
      matches: matched,
      impressions: seen,
      seen_rate: ratio(BigInt(seen), BigInt(matched)),
      spent_cents: centsHalfUp(spent),
      spent_millicents: spent,
      held_cents: centsHalfUp(held),
      held_millicents: held,
    };
  });
  return {
    campaign_id: campaignId,
    open_holds: openHolds,
    games: rows.sort((a, b) => {
      if (a.game_id === null || b.game_id === null) return a.game_id === null ? 1 : -1;
      return b.matches - a.matches || byText(a.game_id, b.game_id);
    }),
  };
}

export function toAffinitiesResponse(
  campaignId: string,
  affinities: readonly AffinityRow[],
): AffinityAnalyticsBody {
  return {
    campaign_id: campaignId,
    affinities: affinities.map((affinity) => {
      const influenced = safeInteger(affinity.influenced, "impressions");
      return {
        affinity_id: affinity.affinityId,
        affinity_type: affinity.affinityType,
        affinity_value: affinity.affinityValue,
        weight: affinity.weight,
        match_rate: ratio(affinity.influenced, affinity.eligible),
        avg_score_contribution: meanOfMillionths(affinity.contributionMillionths, influenced),
        impressions_influenced: influenced,
      };
    }),
  };
}

export function toPacingResponse(campaignId: string, facts: PacingFacts, pacing: Pacing): PacingBody {
  const { budgetMillicents, spentMillicents, dailyCapMillicents } = facts;
  return {
    campaign_id: campaignId,
    budget_cents: centsDown(budgetMillicents),
    spent_cents: centsUp(spentMillicents),
    spent_millicents: spentMillicents,
    remaining_cents: centsDown(pacing.remainingMillicents),
    daily_cap_cents: dailyCapMillicents === null ? null : centsDown(dailyCapMillicents),
    today_spent_cents: centsUp(facts.todaySpentMillicents),
    today_spent_millicents: facts.todaySpentMillicents,
    today_remaining_cents: centsDown(pacing.todayRemainingMillicents),
    days_active: facts.firstActivatedAtMs === null ? null : pacing.daysActive,
    avg_daily_spend_cents: averageCents(spentMillicents, pacing.daysActive),
    projected_exhaustion_date: pacing.projectedExhaustionDay,
    days_remaining: pacing.daysRemaining,
    pacing_status: pacing.status,
    utilization_pct: ratio(BigInt(spentMillicents) * 100n, BigInt(budgetMillicents)),
  };
}

/** An average in whole cents, rounded half up like a row's amount, because it is not a total. */
function averageCents(spentMillicents: number, days: number): number {
  return Number((2n * BigInt(spentMillicents) + 1_000n * BigInt(days)) / (2_000n * BigInt(days)));
}

function byImpressionsDescending(a: { impressions: number }, b: { impressions: number }): number {
  return b.impressions - a.impressions;
}

function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
