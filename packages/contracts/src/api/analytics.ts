import Type, { type Static } from "typebox";
import { daysRefusals, ownCampaignOnly, periodRefusals, registerFirst } from "../definition/common-errors.ts";
import { exampleIds } from "../definition/example-ids.ts";
import {
  answerText,
  CAMPAIGN_STATUSES,
  CREATIVE_TYPES,
  closed,
  count,
  millicents,
  nullable,
  oneOf,
  utcDate,
} from "../definition/fields.ts";
import { defineFeature, refusal } from "../definition/operation.ts";
import { quoteValue } from "../validation/sentence.ts";
import { AFFINITY_TYPES, AFFINITY_WEIGHT } from "./affinities.ts";

/** Days of the daily analytics (spec: Limits). */
export const ANALYTICS_DAYS = { minimum: 1, maximum: 365, default: 30 };
/** In the order of evaluation: the first that applies (docs/behaviour.md#pacing). */
export const PACING_STATUSES = [
  "not_started",
  "exhausted",
  "capped_today",
  "over_pacing",
  "under_pacing",
  "on_pace",
] as const;

const campaignId = () => answerText("The campaign.");
const uniqueUsers = () => count("Players who have seen it, each counted once.");
const spentCents = () => count("Cost of the impressions, in whole cents, half up.");
const spentMillicents = () => millicents("Cost of the impressions.");
const campaignSpentMillicents = () => millicents("Spending of the campaign.");
const averageScore = () =>
  Type.Number({
    minimum: 0,
    description: "Mean affinity score of the impressions, to four decimals; 0 without impressions.",
  });
const utcDay = (description: string) =>
  Type.String({ format: "date", description: `${description} YYYY-MM-DD.` });

export const analyticsDaysSchema = Type.Integer({
  ...ANALYTICS_DAYS,
  description: "How many days back, today included.",
});

export const campaignStatsSchema = closed(
  {
    campaign_id: campaignId(),
    impressions: count("Impressions so far."),
    unique_users: count("Players who have seen the campaign, each counted once."),
    unique_games: count("Games in which the campaign was seen, each counted once."),
    spent_cents: count("Spending of the campaign, in whole cents, rounded up."),
    spent_millicents: campaignSpentMillicents(),
    budget_cents: count("Total budget of the campaign, in cents."),
    effective_cpm_cents: count(
      "What a thousand impressions have cost, in cents, half up; 0 without impressions.",
    ),
    avg_affinity_score: averageScore(),
    top_creative_id: nullable(
      answerText("The creative with the most impressions; null without impressions."),
    ),
    top_game_id: nullable(answerText("The game with the most impressions; null without impressions.")),
  },
  "Results of a campaign so far.",
);
export type CampaignStatsBody = Static<typeof campaignStatsSchema>;

const dailyRow = closed(
  {
    date: utcDay("The UTC day,"),
    impressions: count("Impressions of the day."),
    unique_users: uniqueUsers(),
    spent_cents: spentCents(),
    spent_millicents: spentMillicents(),
    avg_affinity_score: averageScore(),
  },
  "A UTC day of the campaign.",
);

export const dailyAnalyticsSchema = closed(
  {
    campaign_id: campaignId(),
    days: Type.Array(dailyRow, {
      maxItems: ANALYTICS_DAYS.maximum,
      description: "One row per UTC day, newest first, days without impressions included.",
    }),
  },
  "Results of a campaign by day.",
);
export type DailyAnalyticsBody = Static<typeof dailyAnalyticsSchema>;

const creativeRow = closed(
  {
    creative_id: answerText("The creative."),
    creative_type: oneOf(CREATIVE_TYPES, "How the creative appears in a game."),
    brand_name: answerText("The brand that the creative names."),
    impressions: count("Impressions of the creative."),
    unique_users: uniqueUsers(),
    spent_cents: spentCents(),
    spent_millicents: spentMillicents(),
    avg_affinity_score: averageScore(),
  },
  "A creative of the campaign.",
);

export const creativeAnalyticsSchema = closed(
  {
    campaign_id: campaignId(),
    creatives: Type.Array(creativeRow, {
      description:
        "Every creative, deleted ones when they had impressions; most impressions first, then by identifier.",
    }),
  },
  "Results of a campaign's creatives.",
);
export type CreativeAnalyticsBody = Static<typeof creativeAnalyticsSchema>;

const countryRow = closed(
  {
    country_code: nullable(answerText("ISO 3166-1 alpha-2, upper case; null: the place is unknown.")),
    impressions: count("Impressions in the country."),
    unique_users: uniqueUsers(),
    spent_cents: spentCents(),
    spent_millicents: spentMillicents(),
  },
  "A country in which the campaign was seen.",
);

export const geoAnalyticsSchema = closed(
  {
    campaign_id: campaignId(),
    countries: Type.Array(countryRow, {
      description: "Most impressions first, then by code; the unknown country comes last.",
    }),
  },
  "Where a campaign was seen.",
);
export type GeoAnalyticsBody = Static<typeof geoAnalyticsSchema>;

const gameRow = closed(
  {
    game_id: nullable(
      answerText("The game; null: games beyond about the first thousand of an hour, all together."),
    ),
    matches: count("Matches in the last 24 whole hours (UTC), the current one included."),
    impressions: count("Impressions in the same hours."),
    seen_rate: Type.Number({
      minimum: 0,
      maximum: 1,
      description: "Impressions by match in these hours, to four decimals; 0 without any.",
    }),
    spent_cents: spentCents(),
    spent_millicents: spentMillicents(),
    held_cents: count("Held now for matches that may still be seen, in whole cents, half up."),
  },
  "A game in which the campaign was matched.",
);

export const gameAnalyticsSchema = closed(
  {
    campaign_id: campaignId(),
    games: Type.Array(gameRow, {
      description:
        "Most matches first, then by identifier; also games without an impression. Counts of the last hours start anew when Redis loses its data.",
    }),
  },
  "Results of a campaign by game.",
);
export type GameAnalyticsBody = Static<typeof gameAnalyticsSchema>;

const affinityRow = closed(
  {
    affinity_id: answerText("The affinity."),
    affinity_type: oneOf(AFFINITY_TYPES, "What of the scene the value is compared with."),
    affinity_value: answerText("The value that raises the score, as it was given."),
    weight: Type.Number({
      minimum: AFFINITY_WEIGHT.minimum,
      maximum: AFFINITY_WEIGHT.maximum,
      description: "What it adds to the score.",
    }),
    match_rate: Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        "The part of the campaign's impressions that the affinity contributed to, of those matched since it was created; four decimals, 0 without any.",
    }),
    avg_score_contribution: Type.Number({
      minimum: 0,
      description:
        "What it added to the score on average, where it added something; four decimals, 0 where it never did.",
    }),
    impressions_influenced: count("Impressions that the affinity contributed to."),
  },
  "An affinity of the campaign.",
);

export const affinityAnalyticsSchema = closed(
  {
    campaign_id: campaignId(),
    affinities: Type.Array(affinityRow, { description: "Every affinity in the order of creation." }),
  },
  "Results of a campaign's affinities.",
);
export type AffinityAnalyticsBody = Static<typeof affinityAnalyticsSchema>;

export const pacingSchema = closed(
  {
    campaign_id: campaignId(),
    budget_cents: count("Total budget of the campaign, in cents."),
    spent_cents: count("Spending of the campaign, in whole cents, rounded up."),
    spent_millicents: campaignSpentMillicents(),
    remaining_cents: count("Remaining budget, in whole cents, rounded down."),
    daily_cap_cents: nullable(count("Most that may be spent on one UTC day, in cents; null: no cap.")),
    today_spent_cents: count("Spending on the current UTC day, in whole cents, rounded up."),
    today_spent_millicents: millicents("Spending on the current UTC day."),
    today_remaining_cents: count(
      "What today's cap and the budget both still allow, in whole cents, rounded down.",
    ),
    avg_daily_spend_cents: count(
      "Spent per UTC day since the first activation, today included; in cents, half up.",
    ),
    projected_exhaustion_date: nullable(
      utcDay("The UTC day on which the budget will be spent at this average, 9999-12-31 at the latest,"),
    ),
    days_remaining: nullable(count("Whole days until then; null while nothing is spent.")),
    pacing_status: oneOf(
      PACING_STATUSES,
      "The first that holds: never activated or before the start; nothing left for one more impression, neither of the budget nor of the advertiser's balance; today's cap reached; more than 110 %, less than 90 % of what should be spent by now, which after the end of a flight is the whole budget; else on pace.",
    ),
    utilization_pct: Type.Number({
      minimum: 0,
      maximum: 100,
      description: "The part of the budget that is spent, in percent, to four decimals.",
    }),
  },
  "How a campaign spends its budget over time.",
);
export type PacingBody = Static<typeof pacingSchema>;

/** Days of the account's daily series. */
export const ACCOUNT_DAYS = { minimum: 1, maximum: 366, default: 30 } as const;
/** Days in the series of each listed campaign. */
export const CAMPAIGN_SERIES_DAYS = { minimum: 1, maximum: 31, default: 14 } as const;

export const accountDaysSchema = Type.Integer({
  ...ACCOUNT_DAYS,
  description: "How many days back, today included.",
});
export const campaignSeriesDaysSchema = Type.Integer({
  ...CAMPAIGN_SERIES_DAYS,
  description: "How many days each series has, today included.",
});

const spendSum = closed(
  { impressions: count("Impressions."), spent_millicents: millicents("What they have cost.") },
  "Impressions and what they have cost.",
);
const spendDay = closed(
  {
    date: utcDate("The day."),
    impressions: count("Impressions of the day."),
    spent_millicents: millicents("What they have cost."),
  },
  "One day of the account.",
);

export const accountDailySchema = closed(
  {
    days: Type.Array(spendDay, {
      description: "The last days with today, newest first, days without impressions included.",
    }),
    today: spendSum,
    month_to_date: spendSum,
    total: spendSum,
  },
  "What all campaigns of the advertiser have spent, day by day.",
);
export type AccountDailyBody = Static<typeof accountDailySchema>;

const campaignSeries = closed(
  {
    campaign_id: answerText("The campaign."),
    name: answerText("Name of the campaign."),
    status: oneOf(CAMPAIGN_STATUSES, "Only an active campaign is served."),
    budget_cents: count("What the campaign may spend in all, in cents."),
    daily_cap_cents: nullable(count("What it may spend on one UTC day, in cents; null: no cap.")),
    spent_millicents: millicents("What the campaign has spent."),
    impressions: count("Impressions so far."),
    creatives: count("Creatives in use."),
    pacing_status: oneOf(PACING_STATUSES, "As in the pacing of the campaign."),
    projected_exhaustion_date: nullable(
      utcDate("When the budget is spent at the average of the days so far; null without spend."),
    ),
    daily_spent_millicents: Type.Array(millicents("What the day has cost."), {
      description: "One amount for each of the dates.",
    }),
    daily_impressions: Type.Array(count("Impressions of the day."), {
      description: "One number for each of the dates.",
    }),
  },
  "A campaign with its last days.",
);

export const campaignSeriesListSchema = closed(
  {
    dates: Type.Array(utcDate("A day."), { description: "The days of every series, oldest first." }),
    campaigns: Type.Array(campaignSeries, { description: "The campaigns, newest first." }),
  },
  "The campaigns of the advertiser with what they did lately.",
);
export type CampaignSeriesListBody = Static<typeof campaignSeriesListSchema>;

/** Days of the spend report, counted back; also the maximum period between two days. */
export const SPEND_DAYS = { minimum: 1, maximum: 31, default: 30 } as const;
/** Dimensions of the spend report. */
export const SPEND_DIMENSIONS = ["day", "campaign", "creative", "country"] as const;

export const spendFromSchema = utcDate("The first day; without it 30 days back from the last.");
export const spendToSchema = utcDate("The last day; today where it is left out or lies ahead.");
export const spendGroupSchema = Type.String({
  maxLength: 100,
  pattern: "^(day|campaign|creative|country)(,(day|campaign|creative|country))*$",
  description: "By what is summed up, separated by commas: day, campaign, creative, country; without it all.",
});
const only = (what: string) => Type.String({ minLength: 1, maxLength: 200, description: `Only ${what}.` });
export const spendCampaignSchema = only("this campaign of the advertiser");
export const spendCreativeSchema = only("this creative");
export const spendCountrySchema = only("this country, ISO 3166-1 alpha-2; unknown: players of unknown place");

const spendRow = closed(
  {
    date: Type.Optional(utcDate("The day.")),
    campaign_id: Type.Optional(answerText("The campaign.")),
    campaign_name: Type.Optional(answerText("Name of the campaign.")),
    creative_id: Type.Optional(answerText("The creative.")),
    brand_name: Type.Optional(answerText("The brand of the creative.")),
    country_code: Type.Optional(
      nullable(answerText("ISO 3166-1 alpha-2, upper case; null: the place is unknown.")),
    ),
    impressions: count("Impressions."),
    spent_millicents: millicents("What they have cost."),
  },
  "What one group of impressions has cost; what is not summed up by is left out.",
);
export const spendSchema = closed(
  {
    from: utcDate("The first day of the period."),
    to: utcDate("The last day of the period."),
    total: spendSum,
    rows: Type.Array(spendRow, {
      description: "Newest day first, then by campaign, creative and country.",
    }),
  },
  "What impressions of a period have cost, summed up.",
);
export type SpendBody = Static<typeof spendSchema>;

export const tooManyImpressions = refusal(
  422,
  "too_many_impressions",
  "The impressions of the period could not be summed up within 10 seconds.",
  "The period has too many impressions to sum up at once: ask for fewer days.",
);
export const droppedImpressions = refusal(
  422,
  "dropped",
  "Impressions of the period were dropped after their retention.",
  (day: string) =>
    `The impressions up to ${day} were dropped: ask for later days, or group by day and campaign only.`,
  "2026-05-31",
);
export const unknownGrouping = refusal(
  422,
  "group_by",
  "The list has another word.",
  (sent: string) =>
    `group_by must be some of ${SPEND_DIMENSIONS.join(", ")}, separated by commas, but ${quoteValue(sent)} was sent`,
  "week",
);
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
      description: "How often each current affinity contributed to a match that was seen, and how much.",
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
        unknownGrouping,
        tooManyImpressions,
        droppedImpressions,
      ],
    },
  },
});
