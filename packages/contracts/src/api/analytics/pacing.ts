/** How a campaign spends its budget over time. */
import type { Static } from "typebox";
import { ownCampaignOnly } from "../../definition/common-errors.ts";
import { exampleIds } from "../../definition/example-ids.ts";
import { closed, count, millicents, nullable, oneOf, utcDate } from "../../definition/fields.ts";
import { defineOperations, ok, operation } from "../../definition/operation.ts";
import Type from "../../definition/type.ts";
import { campaignId, campaignSpentMillicents, common, ofCampaign, PACING_STATUSES } from "./shared.ts";

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
    days_active: nullable(
      count("UTC days since the first activation, today included; null: never activated."),
    ),
    avg_daily_spend_cents: count(
      "Spent per UTC day since the first activation, today included; in cents, half up.",
    ),
    projected_exhaustion_date: nullable(
      utcDate("When the budget will be spent at this average, 9999-12-31 at the latest."),
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

export const pacingAnalytics = defineOperations({
  pacing: operation(`GET ${ofCampaign}/pacing`, {
    ...common,
    operationId: "getPacing",
    summary: "How a campaign spends its budget",
    description:
      "Whether the campaign spends faster or slower than its dates or its daily cap ask for, and how long the budget lasts. Matches that were not seen yet do not count.",
    success: [
      ok("The pacing.", pacingSchema, {
        campaign_id: exampleIds.campaign,
        budget_cents: 100_000,
        spent_cents: 30_000,
        spent_millicents: 30_000_000,
        remaining_cents: 70_000,
        daily_cap_cents: 4_000,
        today_spent_cents: 1_000,
        today_spent_millicents: 1_000_000,
        today_remaining_cents: 3_000,
        days_active: 10,
        avg_daily_spend_cents: 3_000,
        projected_exhaustion_date: "2026-12-24",
        days_remaining: 23,
        pacing_status: "under_pacing",
        utilization_pct: 30,
      }),
    ],
    refusals: ownCampaignOnly,
  }),
});
