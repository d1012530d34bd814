/** Results of one campaign: in total, by day, creative, country, game and affinity. */
import type { Static } from "typebox";
import { numberRefusals, ownCampaignOnly } from "../../definition/common-errors.ts";
import { AFFINITY_TYPES, CREATIVE_TYPES } from "../../definition/enumerations.ts";
import { exampleIds } from "../../definition/example-ids.ts";
import {
  affinityWeight,
  answerText,
  closed,
  count,
  millicents,
  nullable,
  oneOf,
  utcDate,
} from "../../definition/fields.ts";
import { defineOperations, ok, operation } from "../../definition/operation.ts";
import Type from "../../definition/type.ts";
import {
  averageScore,
  campaignId,
  campaignSpentMillicents,
  common,
  ofCampaign,
  spentCents,
  spentMillicents,
  uniqueUsers,
} from "./shared.ts";

/** Days of the daily analytics. */
export const ANALYTICS_DAYS = { minimum: 1, maximum: 365, default: 30 };

const analyticsDaysSchema = Type.Integer({
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
    date: utcDate("The day."),
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
        "Every creative, deleted ones only if they had impressions; most impressions first, then by identifier.",
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
      answerText(
        "The game; null: games beyond about the first thousand of an hour, or the first hundred of a developer, all together.",
      ),
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
    held_millicents: millicents("Held now, as `held_cents`."),
  },
  "A game in which the campaign was matched.",
);

export const gameAnalyticsSchema = closed(
  {
    campaign_id: campaignId(),
    open_holds: count("Matches in all games that may still be seen: each holds its price now."),
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
    affinity_type: oneOf(AFFINITY_TYPES, "Which part of the scene the value is compared with."),
    affinity_value: answerText("The value that raises the score, as it was given."),
    weight: affinityWeight("What it adds to the score."),
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

export const campaignAnalytics = defineOperations({
  stats: operation("GET /campaigns/{campaign_id}/stats", {
    ...common,
    operationId: "getCampaignStats",
    summary: "Totals of a campaign",
    description: "Impressions, players, games and money since the campaign was created.",
    success: [
      ok("The totals.", campaignStatsSchema, {
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
      }),
    ],
    refusals: ownCampaignOnly,
  }),
  daily: operation(`GET ${ofCampaign}/daily`, {
    ...common,
    operationId: "getDailyAnalytics",
    summary: "A campaign day by day",
    description: "The last UTC days with today, newest first, days without impressions included as zeros.",
    query: [{ name: "days", schema: analyticsDaysSchema, example: 2 }],
    success: [
      ok("The days.", dailyAnalyticsSchema, {
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
      }),
    ],
    refusals: [...numberRefusals("days", ANALYTICS_DAYS.maximum), ...ownCampaignOnly],
  }),
  creatives: operation(`GET ${ofCampaign}/creatives`, {
    ...common,
    operationId: "getCreativeAnalytics",
    summary: "A campaign by creative",
    description:
      "Every creative of the campaign, deleted ones only if they had impressions; most impressions first.",
    success: [
      ok("The creatives.", creativeAnalyticsSchema, {
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
      }),
    ],
    refusals: ownCampaignOnly,
  }),
  geo: operation(`GET ${ofCampaign}/geo`, {
    ...common,
    operationId: "getGeoAnalytics",
    summary: "A campaign by country",
    description:
      "The countries that players were in, as the game said; most impressions first, the unknown place last.",
    success: [
      ok("The countries.", geoAnalyticsSchema, {
        campaign_id: exampleIds.campaign,
        countries: [
          { country_code: "DE", impressions: 2, unique_users: 1, spent_cents: 2, spent_millicents: 2000 },
          { country_code: null, impressions: 1, unique_users: 1, spent_cents: 1, spent_millicents: 1000 },
        ],
      }),
    ],
    refusals: ownCampaignOnly,
  }),
  games: operation(`GET ${ofCampaign}/games`, {
    ...common,
    operationId: "getGameAnalytics",
    addition: true,
    summary: "A campaign by game",
    description:
      "The games in which the campaign was matched in the last 24 hours, was ever seen, or has open holds. A game with many matches and no impressions holds money that nobody spends.",
    success: [
      ok("The games.", gameAnalyticsSchema, {
        campaign_id: exampleIds.campaign,
        open_holds: 1,
        games: [
          {
            game_id: exampleIds.game,
            matches: 3,
            impressions: 2,
            seen_rate: 0.6667,
            spent_cents: 2,
            spent_millicents: 2_400,
            held_cents: 1,
            held_millicents: 1_200,
          },
        ],
      }),
    ],
    refusals: ownCampaignOnly,
  }),
  affinities: operation(`GET ${ofCampaign}/affinities`, {
    ...common,
    operationId: "getAffinityAnalytics",
    summary: "A campaign by affinity",
    description: "How often each current affinity contributed to a match that was seen, and how much.",
    success: [
      ok("The affinities.", affinityAnalyticsSchema, {
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
      }),
    ],
    refusals: ownCampaignOnly,
  }),
});
