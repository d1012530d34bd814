/** What impressions of a period have cost, by day, campaign, creative and country. */
import type { Static } from "typebox";
import { blankFilter, periodRefusals, registerFirst, tooManyRows } from "../../definition/common-errors.ts";
import { exampleIds } from "../../definition/example-ids.ts";
import {
  answerText,
  closed,
  count,
  millicents,
  nullable,
  periodQuery,
  report,
  textFilter,
  utcDate,
} from "../../definition/fields.ts";
import { defineOperations, ok, operation, refusal } from "../../definition/operation.ts";
import Type from "../../definition/type.ts";
import { quoteValue } from "../../validation/sentence.ts";
import { common, spendSum } from "./shared.ts";

/** Days of the spend report, counted back; also the maximum period between two days. */
export const SPEND_DAYS = { minimum: 1, maximum: 31, default: 30 } as const;
export const SPEND_DIMENSIONS = ["day", "campaign", "creative", "country"] as const;

const spendGroupSchema = Type.String({
  maxLength: 100,
  pattern: "^(day|campaign|creative|country)(,(day|campaign|creative|country))*$",
  description: "What to group by, separated by commas: day, campaign, creative, country; default: all four.",
});
const spendCampaignSchema = textFilter("Only this campaign of the advertiser.");
const spendCreativeSchema = textFilter("Only this creative.");
/** As `country_code` of the spend report: players of unknown place. */
export const UNKNOWN_COUNTRY = "unknown";
const spendCountrySchema = Type.String({
  pattern: `^([A-Za-z]{2}|${UNKNOWN_COUNTRY})$`,
  description: `Only this country, ISO 3166-1 alpha-2; ${UNKNOWN_COUNTRY}: players of unknown place.`,
});

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
  "What one group of impressions has cost; fields that are not grouped by are left out.",
);
export const spendSchema = report(
  { total: spendSum, row: spendRow },
  "Newest day first, then by campaign, creative and country.",
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
const unknownCountry = refusal(
  400,
  "country_code",
  "country_code is neither a country nor unknown.",
  'country_code must be a country code of ISO 3166-1 alpha-2, such as DE, or unknown, but "Deutschland" was sent',
);
export const unknownGrouping = refusal(
  422,
  "group_by",
  "The list has another word.",
  (sent: string) =>
    `group_by must be some of ${SPEND_DIMENSIONS.join(", ")}, separated by commas, but ${quoteValue(sent)} was sent`,
  "week",
);

const spendCsv = `date,campaign_id,campaign_name,creative_id,brand_name,country_code,impressions,spent_cents
2026-12-01,${exampleIds.campaign},Winter in the taverns,${exampleIds.creative},Emberroast,DE,3,3.600
`;

export const spendReport = defineOperations({
  spend: operation("GET /analytics/spend", {
    ...common,
    operationId: "getSpend",
    addition: true,
    summary: "Spend by campaign, creative, country and day",
    description:
      "Exact sums of the impressions of at most 31 days, by any of campaign, creative, country and day together. Send `Accept: text/csv` for a table of all rows; without `limit` a page has 500 rows. By day and campaign alone it is read from rollups. Anything with creative or country is read from single impressions for at most 10 seconds: on large installations ask for a few days at a time.",
    paged: true,
    query: [
      ...periodQuery(SPEND_DAYS, { days: 1, from: "2026-12-01", to: "2026-12-01" }),
      { name: "group_by", schema: spendGroupSchema, example: "day,campaign,creative,country" },
      { name: "campaign_id", schema: spendCampaignSchema, example: exampleIds.campaign },
      { name: "creative_id", schema: spendCreativeSchema, example: exampleIds.creative },
      { name: "country_code", schema: spendCountrySchema, example: "DE" },
    ],
    success: [
      ok(
        "The sums.",
        spendSchema,
        {
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
        { csv: spendCsv },
      ),
    ],
    refusals: [
      ...periodRefusals(SPEND_DAYS.maximum),
      blankFilter("campaign_id"),
      unknownCountry,
      registerFirst,
      unknownGrouping,
      tooManyImpressions,
      droppedImpressions,
      tooManyRows,
    ],
  }),
});
