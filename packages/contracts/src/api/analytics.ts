import { defineFeature } from "../definition/operation.ts";
import { accountAnalytics, accountDailySchema, campaignSeriesListSchema } from "./analytics/account.ts";
import {
  affinityAnalyticsSchema,
  campaignAnalytics,
  campaignStatsSchema,
  creativeAnalyticsSchema,
  dailyAnalyticsSchema,
  gameAnalyticsSchema,
  geoAnalyticsSchema,
} from "./analytics/campaign.ts";
import { pacingAnalytics, pacingSchema } from "./analytics/pacing.ts";
import { spendSum } from "./analytics/shared.ts";
import { spendReport, spendSchema } from "./analytics/spend.ts";

export * from "./analytics/account.ts";
export * from "./analytics/campaign.ts";
export * from "./analytics/pacing.ts";
export { PACING_STATUSES, type PacingStatus } from "./analytics/shared.ts";
export * from "./analytics/spend.ts";

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
    SpendSum: spendSum,
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
    "Pacing.days_active",
  ],
  operations: {
    ...campaignAnalytics,
    ...pacingAnalytics,
    ...accountAnalytics,
    ...spendReport,
  },
});
