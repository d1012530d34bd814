import {
  creatorRevenueSchema,
  earningsFromSchema,
  earningsGameSchema,
  earningsSchema,
  earningsToSchema,
  gameAdvertiserListSchema,
  gameRevenueSchema,
  revenueSchema,
} from "../schemas/revenue.ts";
import { ownGameOnly, periodRefusals, registerFirst } from "./common-refusals.ts";
import { exampleIds } from "./example-ids.ts";
import { defineFeature } from "./operation.ts";

const earningsCsv = `date,game_id,impressions,earned_cents
2026-12-01,lantern-keep,60,50.400000
2026-11-30,lantern-keep,40,33.600000
`;

const common = { group: "analytics", method: "GET" } as const;

export const revenueApi = defineFeature({
  tag: "Revenue",
  description: "An advertiser's spending and a developer's earnings.",
  schemas: {
    AdvertiserRevenue: revenueSchema,
    CreatorRevenue: creatorRevenueSchema,
    GameRevenue: gameRevenueSchema,
    GameAdvertiser: gameAdvertiserListSchema.items,
    Earnings: earningsSchema,
    EarningsSum: earningsSchema.properties.total,
    GameDay: earningsSchema.properties.rows.items,
  },
  additions: [
    "AdvertiserRevenue.total_spent_millicents",
    "AdvertiserRevenue.campaigns.spent_millicents",
    "CreatorRevenue.total_earned_microcents",
    "CreatorRevenue.games.earned_microcents",
    "GameRevenue.earned_microcents",
    "GameRevenue.top_advertisers.earned_microcents",
    "GameRevenue.daily.earned_microcents",
  ],
  operations: {
    advertiser: {
      ...common,
      operationId: "getRevenue",
      scope: "advertiser",
      path: "/revenue",
      summary: "Read the advertiser's spending",
      description: "Totals over all campaigns, and each campaign, newest first.",
      success: [
        {
          status: 200,
          description: "The totals.",
          schema: revenueSchema,
          example: {
            total_spent_cents: 2,
            total_spent_millicents: 2000,
            total_impressions: 1,
            active_campaigns: 1,
            balance_cents: 249_998,
            campaigns: [
              {
                campaign_id: exampleIds.campaign,
                name: "Winter in the taverns",
                spent_cents: 2,
                spent_millicents: 2000,
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
      summary: "Read the developer's earnings",
      description: "Totals over all games of the key's account, and each game, most impressions first.",
      success: [
        {
          status: 200,
          description: "The totals.",
          schema: creatorRevenueSchema,
          example: {
            total_earned_cents: 84,
            total_earned_microcents: 84_000_000,
            total_impressions: 100,
            games_count: 1,
            games: [
              {
                game_id: exampleIds.game,
                earned_cents: 84,
                earned_microcents: 84_000_000,
                impressions: 100,
                revenue_share_pct: 70,
              },
            ],
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
            earned_microcents: 84_000_000,
            impressions: 100,
            revenue_share_pct: 70,
            top_advertisers: [
              {
                advertiser_id: exampleIds.advertiser,
                impressions: 100,
                earned_cents: 84,
                earned_microcents: 84_000_000,
              },
            ],
            daily: [
              { date: "2026-12-01", impressions: 60, earned_cents: 50, earned_microcents: 50_000_000 },
              { date: "2026-11-30", impressions: 40, earned_cents: 33, earned_microcents: 33_000_000 },
            ],
          },
        },
      ],
      refusals: ownGameOnly,
    },
    gameAdvertisers: {
      ...common,
      operationId: "listGameAdvertisers",
      scope: "developer",
      path: "/creator-revenue/{game_id}/advertisers",
      addition: true,
      summary: "Who was seen in one game",
      description:
        "Each advertiser with its name, brands and lines, so that a developer knows whom a placement should block. Without `limit` a page has 500 rows.",
      paged: true,
      success: [
        {
          status: 200,
          description: "The advertisers.",
          schema: gameAdvertiserListSchema,
          example: [
            {
              advertiser_id: exampleIds.advertiser,
              company_name: "Emberroast Coffee",
              brand_names: ["Emberroast"],
              recent_lines: [
                "The innkeeper sets down a steaming cup of Emberroast and nods toward the fire.",
              ],
              impressions: 100,
              earned_microcents: 84_000_000,
              is_blocked: false,
            },
          ],
        },
      ],
      refusals: ownGameOnly,
    },
    earnings: {
      ...common,
      operationId: "getEarnings",
      scope: "developer",
      path: "/earnings",
      addition: true,
      summary: "Read the games' earnings by day",
      description:
        "Exact earnings of each game and day of a period, newest day first. `?from=2026-12-01` is the month to date. Send `Accept: text/csv` for a table of all rows; without `limit` a page has 500 rows.",
      paged: true,
      query: [
        { name: "from", schema: earningsFromSchema, example: "2026-11-30" },
        { name: "to", schema: earningsToSchema, example: "2026-12-01" },
        { name: "game_id", schema: earningsGameSchema, example: exampleIds.game },
      ],
      success: [
        {
          status: 200,
          description: "The earnings.",
          schema: earningsSchema,
          example: {
            from: "2026-11-30",
            to: "2026-12-01",
            total: { impressions: 100, earned_microcents: 84_000_000 },
            rows: [
              {
                date: "2026-12-01",
                game_id: exampleIds.game,
                impressions: 60,
                earned_microcents: 50_400_000,
              },
              {
                date: "2026-11-30",
                game_id: exampleIds.game,
                impressions: 40,
                earned_microcents: 33_600_000,
              },
            ],
          },
          csv: earningsCsv,
        },
      ],
      refusals: periodRefusals(366),
    },
  },
});
