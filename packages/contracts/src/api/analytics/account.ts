/** All campaigns of the advertiser: by day, and each with its last days. */
import type { Static } from "typebox";
import { numberRefusals, registerFirst } from "../../definition/common-errors.ts";
import { CAMPAIGN_STATUSES } from "../../definition/enumerations.ts";
import { exampleIds } from "../../definition/example-ids.ts";
import { answerText, closed, count, millicents, nullable, oneOf, utcDate } from "../../definition/fields.ts";
import { defineOperations, ok, operation } from "../../definition/operation.ts";
import Type from "../../definition/type.ts";
import { common, PACING_STATUSES, spendSum } from "./shared.ts";

/** Days of the account's daily series. */
export const ACCOUNT_DAYS = { minimum: 1, maximum: 366, default: 30 } as const;
/** Days in the series of each listed campaign. */
export const CAMPAIGN_SERIES_DAYS = { minimum: 1, maximum: 31, default: 14 } as const;

const accountDaysSchema = Type.Integer({
  ...ACCOUNT_DAYS,
  description: "How many days back, today included.",
});
const campaignSeriesDaysSchema = Type.Integer({
  ...CAMPAIGN_SERIES_DAYS,
  description: "How many days each series has, today included.",
});

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
    cpm_bid_cents: count("The bid: what a thousand impressions cost, in cents."),
    daily_cap_cents: nullable(count("What it may spend on one UTC day, in cents; null: no cap.")),
    end_date: nullable(answerText("When it ends, as it was given; null: no end.")),
    spent_millicents: millicents("What the campaign has spent."),
    expected_spend_millicents: nullable(
      millicents(
        "What the campaign should have spent by now, at most its budget; the pacing status also counts what the daily cap allows beyond it. Null before its start, and with neither both dates nor a daily cap.",
      ),
    ),
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

export const accountAnalytics = defineOperations({
  accountDaily: operation("GET /analytics/daily", {
    ...common,
    operationId: "getAccountDaily",
    addition: true,
    summary: "All campaigns day by day",
    description:
      "The account's spending: the last UTC days with today, newest first, and the sums of today, of this month and of all time.",
    query: [{ name: "days", schema: accountDaysSchema, example: 2 }],
    success: [
      ok("The days and the sums.", accountDailySchema, {
        days: [
          { date: "2026-12-01", impressions: 3, spent_millicents: 3_600 },
          { date: "2026-11-30", impressions: 0, spent_millicents: 0 },
        ],
        today: { impressions: 3, spent_millicents: 3_600 },
        month_to_date: { impressions: 3, spent_millicents: 3_600 },
        total: { impressions: 40, spent_millicents: 48_000 },
      }),
    ],
    refusals: [...numberRefusals("days", ACCOUNT_DAYS.maximum), registerFirst],
  }),
  accountCampaigns: operation("GET /analytics/campaigns", {
    ...common,
    operationId: "listCampaignSeries",
    addition: true,
    summary: "Every campaign with its last days",
    description:
      "A summary of each campaign: status, spend, pacing and a short series, newest campaign first. Without `limit` a page has 500 campaigns.",
    paged: true,
    query: [{ name: "days", schema: campaignSeriesDaysSchema, example: 2 }],
    success: [
      ok("The campaigns.", campaignSeriesListSchema, {
        dates: ["2026-11-30", "2026-12-01"],
        campaigns: [
          {
            campaign_id: exampleIds.campaign,
            name: "Winter in the taverns",
            status: "active",
            budget_cents: 100_000,
            cpm_bid_cents: 1_200,
            daily_cap_cents: null,
            end_date: "2026-12-31",
            spent_millicents: 48_000,
            expected_spend_millicents: null,
            impressions: 40,
            creatives: 1,
            pacing_status: "on_pace",
            projected_exhaustion_date: "2026-12-24",
            daily_spent_millicents: [0, 3_600],
            daily_impressions: [0, 3],
          },
        ],
      }),
    ],
    refusals: [...numberRefusals("days", CAMPAIGN_SERIES_DAYS.maximum), registerFirst],
  }),
});
