import Type, { type Static } from "typebox";
import { PACING_STATUSES } from "./analytics.ts";
import {
  answerText,
  CAMPAIGN_STATUSES,
  closed,
  count,
  millicents,
  nullable,
  oneOf,
  utcDate,
} from "./fields.ts";

/** Days of the account's daily series. */
export const ACCOUNT_DAYS = { minimum: 1, maximum: 366, default: 30 } as const;
/** Days of the series beside each campaign of the list. */
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
