import type { CampaignStatsBody } from "@diegetic/contracts";
import { centsUp, effectiveCpmCents } from "@diegetic/money";
import type { CampaignStats } from "./store.ts";

/** Mean over impressions to four decimals; 0 without impressions (semantics: Analytics). */
export function averageAffinityScore(scoreSum: number, impressions: number): number {
  return impressions === 0 ? 0 : Math.round((scoreSum / impressions) * 10_000) / 10_000;
}

export function presentCampaignStats(stats: CampaignStats): CampaignStatsBody {
  return {
    campaign_id: stats.campaignId,
    impressions: stats.impressions,
    unique_users: stats.uniqueUsers,
    unique_games: stats.uniqueGames,
    spent_cents: centsUp(stats.spentMillicents),
    budget_cents: stats.budgetCents,
    effective_cpm_cents: effectiveCpmCents(stats.spentMillicents, stats.impressions),
    avg_affinity_score: averageAffinityScore(stats.affinityScoreSum, stats.impressions),
    top_creative_id: stats.topCreativeId,
    top_game_id: stats.topGameId,
  };
}
