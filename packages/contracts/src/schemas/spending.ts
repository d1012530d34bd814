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
