import { creatorRevenueSchema, gameRevenueSchema, revenueSchema } from "../schemas/revenue.ts";
import { ownGameOnly, registerFirst } from "./common-refusals.ts";
import { exampleIds } from "./example-ids.ts";
import { defineFeature } from "./operation.ts";

const common = { group: "analytics", method: "GET" } as const;

export const revenueApi = defineFeature({
  tag: "Revenue",
  description: "What an advertiser has spent and what a developer has earned.",
  schemas: {
    AdvertiserRevenue: revenueSchema,
    CreatorRevenue: creatorRevenueSchema,
    GameRevenue: gameRevenueSchema,
  },
  operations: {
    advertiser: {
      ...common,
      operationId: "getRevenue",
      scope: "advertiser",
      path: "/revenue",
      summary: "What the advertiser has spent",
      description: "Totals over all campaigns, and each campaign, newest first.",
      success: [
        {
          status: 200,
          description: "The totals.",
          schema: revenueSchema,
          example: {
            total_spent_cents: 2,
            total_impressions: 1,
            active_campaigns: 1,
            balance_cents: 249_998,
            campaigns: [
              {
                campaign_id: exampleIds.campaign,
                name: "Winter in the taverns",
                spent_cents: 2,
                impressions: 1,
                status: "active",
              },
            ],
          },
        },
      ],
      refusals: [registerFirst],
    },
    creator: {
      ...common,
      operationId: "getCreatorRevenue",
      scope: "developer",
      path: "/creator-revenue",
      summary: "What the developer has earned",
      description: "Totals over all games of the key's account, and each game, most impressions first.",
      success: [
        {
          status: 200,
          description: "The totals.",
          schema: creatorRevenueSchema,
          example: {
            total_earned_cents: 84,
            total_impressions: 100,
            games_count: 1,
            games: [{ game_id: exampleIds.game, earned_cents: 84, impressions: 100, revenue_share_pct: 70 }],
          },
        },
      ],
      refusals: [],
    },
    game: {
      ...common,
      operationId: "getGameRevenue",
      scope: "developer",
      path: "/creator-revenue/{game_id}",
      summary: "What one game has earned",
      description: "Its totals, the advertisers seen in it, and the last 30 UTC days, newest first.",
      success: [
        {
          status: 200,
          description: "The game's earnings.",
          schema: gameRevenueSchema,
          example: {
            game_id: exampleIds.game,
            earned_cents: 84,
            impressions: 100,
            revenue_share_pct: 70,
            top_advertisers: [{ advertiser_id: exampleIds.advertiser, impressions: 100, earned_cents: 84 }],
            daily: [
              { date: "2026-12-01", impressions: 60, earned_cents: 50 },
              { date: "2026-11-30", impressions: 40, earned_cents: 33 },
            ],
          },
        },
      ],
      refusals: ownGameOnly,
    },
  },
});
