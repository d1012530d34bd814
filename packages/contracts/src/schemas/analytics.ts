import Type, { type Static } from "typebox";
import { answerText, closed, count, nullable } from "./fields.ts";

export const campaignStatsSchema = closed(
  {
    campaign_id: answerText("The campaign."),
    impressions: count("Impressions so far."),
    unique_users: count("Players who have seen the campaign, each counted once."),
    unique_games: count("Games in which the campaign was seen, each counted once."),
    spent_cents: count("What the campaign has spent, in whole cents, rounded up."),
    budget_cents: count("What the campaign may spend in all, in cents."),
    effective_cpm_cents: count(
      "What a thousand impressions have cost, in cents, half up; 0 without impressions.",
    ),
    avg_affinity_score: Type.Number({
      minimum: 0,
      description: "Mean affinity score of the impressions, to four decimals; 0 without impressions.",
    }),
    top_creative_id: nullable(
      answerText("The creative with the most impressions; null without impressions."),
    ),
    top_game_id: nullable(answerText("The game with the most impressions; null without impressions.")),
  },
  "What a campaign has done so far.",
);
export type CampaignStatsBody = Static<typeof campaignStatsSchema>;
