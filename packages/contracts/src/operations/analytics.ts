import { campaignStatsSchema } from "../schemas/analytics.ts";
import { ownCampaignOnly } from "./common-refusals.ts";
import { exampleIds } from "./example-ids.ts";
import { defineFeature } from "./operation.ts";

const common = { group: "analytics", scope: "advertiser", method: "GET" } as const;

export const analyticsApi = defineFeature({
  tag: "Analytics",
  description:
    "What the advertiser's own campaigns have done. Every impression that was answered 201 is in every later answer. Days are UTC days.",
  schemas: { CampaignStats: campaignStatsSchema },
  operations: {
    stats: {
      ...common,
      operationId: "getCampaignStats",
      path: "/campaigns/{campaign_id}/stats",
      summary: "Totals of a campaign",
      description: "Impressions, players, games and money since the campaign was created.",
      success: [
        {
          status: 200,
          description: "The totals.",
          schema: campaignStatsSchema,
          example: {
            campaign_id: exampleIds.campaign,
            impressions: 1,
            unique_users: 1,
            unique_games: 1,
            spent_cents: 2,
            budget_cents: 100_000,
            effective_cpm_cents: 1_200,
            avg_affinity_score: 0,
            top_creative_id: exampleIds.creative,
            top_game_id: exampleIds.game,
          },
        },
      ],
      refusals: ownCampaignOnly,
    },
  },
});
