import {
  affinityAnalyticsSchema,
  analyticsDaysSchema,
  campaignStatsSchema,
  creativeAnalyticsSchema,
  dailyAnalyticsSchema,
  gameAnalyticsSchema,
  geoAnalyticsSchema,
  pacingSchema,
} from "../schemas/analytics.ts";
import {
  accountDailySchema,
  accountDaysSchema,
  campaignSeriesDaysSchema,
  campaignSeriesListSchema,
  spendCampaignSchema,
  spendCountrySchema,
  spendCreativeSchema,
  spendFromSchema,
  spendGroupSchema,
  spendSchema,
  spendToSchema,
} from "../schemas/spending.ts";
import { daysRefusals, ownCampaignOnly, periodRefusals, registerFirst } from "./common-refusals.ts";
import { exampleIds } from "./example-ids.ts";
import { defineFeature, refusal } from "./operation.ts";

const common = { group: "analytics", scope: "advertiser", method: "GET" } as const;
const spendCsv = `date,campaign_id,campaign_name,creative_id,brand_name,country_code,impressions,spent_cents
2026-12-01,${exampleIds.campaign},Winter in the taverns,${exampleIds.creative},Emberroast,DE,3,3.600
`;
const analytics = "/campaigns/{campaign_id}/analytics";

export const analyticsApi = defineFeature({
  tag: "Analytics",
  description:
    "Results of the advertiser's own campaigns. Every impression that was answered 201 is in every later answer. Days are UTC days.",
  schemas: {
    CampaignStats: campaignStatsSchema,
    DailyAnalytics: dailyAnalyticsSchema,
    CreativeAnalytics: creativeAnalyticsSchema,
    GeoAnalytics: geoAnalyticsSchema,
    GameAnalytics: gameAnalyticsSchema,
    GameAnalyticsRow: gameAnalyticsSchema.properties.games.items,
    AffinityAnalytics: affinityAnalyticsSchema,
    Pacing: pacingSchema,
    AccountDaily: accountDailySchema,
    SpendDay: accountDailySchema.properties.days.items,
    SpendSum: accountDailySchema.properties.total,
    Spend: spendSchema,
    SpendRow: spendSchema.properties.rows.items,
    CampaignSeriesList: campaignSeriesListSchema,
    CampaignSeries: campaignSeriesListSchema.properties.campaigns.items,
  },
  additions: [
    "CampaignStats.spent_millicents",
    "DailyAnalytics.days.spent_millicents",
    "CreativeAnalytics.creatives.spent_millicents",
    "GeoAnalytics.countries.spent_millicents",
    "Pacing.spent_millicents",
    "Pacing.today_spent_millicents",
  ],
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
            spent_millicents: 2000,
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
    daily: {
      ...common,
      operationId: "getDailyAnalytics",
      path: `${analytics}/daily`,
      summary: "A campaign day by day",
      description: "The last UTC days with today, newest first, days without impressions included as zeros.",
      query: [{ name: "days", schema: analyticsDaysSchema, example: 2 }],
      success: [
        {
          status: 200,
          description: "The days.",
          schema: dailyAnalyticsSchema,
          example: {
            campaign_id: exampleIds.campaign,
            days: [
              {
                date: "2026-12-01",
                impressions: 3,
                unique_users: 2,
                spent_cents: 4,
                spent_millicents: 4000,
                avg_affinity_score: 1.3333,
              },
              {
                date: "2026-11-30",
                impressions: 0,
                unique_users: 0,
                spent_cents: 0,
                spent_millicents: 0,
                avg_affinity_score: 0,
              },
            ],
          },
        },
      ],
      refusals: [
        refusal(
          400,
          "no_number",
          "days is no whole number, or empty.",
          'days must be a whole number from 1 to 365, but "abc" was sent',
        ),
        ...ownCampaignOnly,
        refusal(
          422,
          "out_of_range",
          "days is out of range.",
          'days must be a whole number from 1 to 365, but "366" was sent',
        ),
      ],
    },
    creatives: {
      ...common,
      operationId: "getCreativeAnalytics",
      path: `${analytics}/creatives`,
      summary: "A campaign by creative",
      description:
        "Every creative of the campaign, those that were deleted when they had impressions; most impressions first.",
      success: [
        {
          status: 200,
          description: "The creatives.",
          schema: creativeAnalyticsSchema,
          example: {
            campaign_id: exampleIds.campaign,
            creatives: [
              {
                creative_id: exampleIds.creative,
                creative_type: "narrative_hook",
                brand_name: "Ember",
                impressions: 3,
                unique_users: 2,
                spent_cents: 4,
                spent_millicents: 4000,
                avg_affinity_score: 1.3333,
              },
            ],
          },
        },
      ],
      refusals: ownCampaignOnly,
    },
    geo: {
      ...common,
      operationId: "getGeoAnalytics",
      path: `${analytics}/geo`,
      summary: "A campaign by country",
      description:
        "The countries that players were in, as the game said; most impressions first, the unknown place last.",
      success: [
        {
          status: 200,
          description: "The countries.",
          schema: geoAnalyticsSchema,
          example: {
            campaign_id: exampleIds.campaign,
            countries: [
              { country_code: "DE", impressions: 2, unique_users: 1, spent_cents: 2, spent_millicents: 2000 },
              { country_code: null, impressions: 1, unique_users: 1, spent_cents: 1, spent_millicents: 1000 },
            ],
          },
        },
      ],
      refusals: ownCampaignOnly,
    },
    games: {
      ...common,
      operationId: "getGameAnalytics",
      addition: true,
      path: `${analytics}/games`,
      summary: "A campaign by game",
      description:
        "The games that the campaign was matched in during the last 24 hours, was seen in, or is held for now. A game with many matches and no impressions holds money that nobody spends.",
      success: [
        {
          status: 200,
          description: "The games.",
          schema: gameAnalyticsSchema,
          example: {
            campaign_id: exampleIds.campaign,
            games: [
              {
                game_id: exampleIds.game,
                matches: 3,
                impressions: 2,
                seen_rate: 0.6667,
                spent_cents: 2,
                spent_millicents: 2_400,
                held_cents: 1,
              },
            ],
          },
        },
      ],
      refusals: ownCampaignOnly,
    },
    affinities: {
      ...common,
      operationId: "getAffinityAnalytics",
      path: `${analytics}/affinities`,
      summary: "A campaign by affinity",
      description: "How often each present affinity contributed to a match that was seen, and how much.",
      success: [
        {
          status: 200,
          description: "The affinities.",
          schema: affinityAnalyticsSchema,
          example: {
            campaign_id: exampleIds.campaign,
            affinities: [
              {
                affinity_id: exampleIds.affinity,
                affinity_type: "mood",
                affinity_value: "calm",
                weight: 1.5,
                match_rate: 0.6667,
                avg_score_contribution: 1.125,
                impressions_influenced: 2,
              },
            ],
          },
        },
      ],
      refusals: ownCampaignOnly,
    },
    pacing: {
      ...common,
      operationId: "getPacing",
      path: `${analytics}/pacing`,
      summary: "How a campaign spends its budget",
      description:
        "Whether the campaign spends faster or slower than its dates or its daily cap ask for, and how long the budget lasts. Matches that were not seen yet do not count.",
      success: [
        {
          status: 200,
          description: "The pacing.",
          schema: pacingSchema,
          example: {
            campaign_id: exampleIds.campaign,
            budget_cents: 100_000,
            spent_cents: 30_000,
            spent_millicents: 30_000_000,
            remaining_cents: 70_000,
            daily_cap_cents: 4_000,
            today_spent_cents: 1_000,
            today_spent_millicents: 1_000_000,
            today_remaining_cents: 3_000,
            avg_daily_spend_cents: 3_000,
            projected_exhaustion_date: "2026-12-24",
            days_remaining: 23,
            pacing_status: "under_pacing",
            utilization_pct: 30,
          },
        },
      ],
      refusals: ownCampaignOnly,
    },
    accountDaily: {
      ...common,
      operationId: "getAccountDaily",
      path: "/analytics/daily",
      addition: true,
      summary: "All campaigns day by day",
      description:
        "The account's spending: the last UTC days with today, newest first, and the sums of today, of this month and of all time.",
      query: [{ name: "days", schema: accountDaysSchema, example: 2 }],
      success: [
        {
          status: 200,
          description: "The days and the sums.",
          schema: accountDailySchema,
          example: {
            days: [
              { date: "2026-12-01", impressions: 3, spent_millicents: 3_600 },
              { date: "2026-11-30", impressions: 0, spent_millicents: 0 },
            ],
            today: { impressions: 3, spent_millicents: 3_600 },
            month_to_date: { impressions: 3, spent_millicents: 3_600 },
            total: { impressions: 40, spent_millicents: 48_000 },
          },
        },
      ],
      refusals: [...daysRefusals(366), registerFirst],
    },
    accountCampaigns: {
      ...common,
      operationId: "listCampaignSeries",
      path: "/analytics/campaigns",
      addition: true,
      summary: "Every campaign with its last days",
      description:
        "A summary of each campaign: status, spend, pacing and a short series, newest campaign first. Without `limit` a page has 500 campaigns.",
      paged: true,
      query: [{ name: "days", schema: campaignSeriesDaysSchema, example: 2 }],
      success: [
        {
          status: 200,
          description: "The campaigns.",
          schema: campaignSeriesListSchema,
          example: {
            dates: ["2026-11-30", "2026-12-01"],
            campaigns: [
              {
                campaign_id: exampleIds.campaign,
                name: "Winter in the taverns",
                status: "active",
                budget_cents: 100_000,
                daily_cap_cents: null,
                spent_millicents: 48_000,
                impressions: 40,
                creatives: 1,
                pacing_status: "on_pace",
                projected_exhaustion_date: "2026-12-24",
                daily_spent_millicents: [0, 3_600],
                daily_impressions: [0, 3],
              },
            ],
          },
        },
      ],
      refusals: [...daysRefusals(31), registerFirst],
    },
    spend: {
      ...common,
      operationId: "getSpend",
      path: "/analytics/spend",
      addition: true,
      summary: "Spend by campaign, creative, country and day",
      description:
        "Exact sums of the impressions of at most 31 days, by any of campaign, creative, country and day together. Send `Accept: text/csv` for a table of all rows; without `limit` a page has 500 rows. By day and campaign alone it is read from rollups. Anything with creative or country is read from single impressions for at most 10 seconds: on large installations ask for a few days at a time.",
      paged: true,
      query: [
        { name: "from", schema: spendFromSchema, example: "2026-12-01" },
        { name: "to", schema: spendToSchema, example: "2026-12-01" },
        { name: "group_by", schema: spendGroupSchema, example: "day,campaign,creative,country" },
        { name: "campaign_id", schema: spendCampaignSchema, example: exampleIds.campaign },
        { name: "creative_id", schema: spendCreativeSchema, example: exampleIds.creative },
        { name: "country_code", schema: spendCountrySchema, example: "DE" },
      ],
      success: [
        {
          status: 200,
          description: "The sums.",
          schema: spendSchema,
          example: {
            from: "2026-12-01",
            to: "2026-12-01",
            total: { impressions: 3, spent_millicents: 3_600 },
            rows: [
              {
                date: "2026-12-01",
                campaign_id: exampleIds.campaign,
                campaign_name: "Winter in the taverns",
                creative_id: exampleIds.creative,
                brand_name: "Emberroast",
                country_code: "DE",
                impressions: 3,
                spent_millicents: 3_600,
              },
            ],
          },
          csv: spendCsv,
        },
      ],
      refusals: [
        ...periodRefusals(31),
        registerFirst,
        refusal(
          422,
          "group_by",
          "The list has another word.",
          'group_by must be some of day, campaign, creative, country, separated by commas, but "week" was sent',
        ),
        refusal(
          422,
          "too_many_impressions",
          "The impressions of the period could not be summed up within 10 seconds.",
          "The period has too many impressions to sum up at once: ask for fewer days.",
        ),
      ],
    },
  },
});
