import Type, { type Static } from "typebox";
import { AFFINITY_TYPES, AFFINITY_WEIGHT } from "./affinity.ts";
import { answerText, CREATIVE_TYPES, closed, count, millicents, nullable, oneOf } from "./fields.ts";

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
    matches: count("Matches in the last 24 whole hours (UTC), the present one included."),
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
