/** Fields and settings that several analytics share. */

import { answerText, closed, count, millicents } from "../../definition/fields.ts";
import Type from "../../definition/type.ts";

export const campaignId = () => answerText("The campaign.");
export const uniqueUsers = () => count("Players who have seen it, each counted once.");
export const spentCents = () => count("Cost of the impressions, in whole cents, half up.");
export const spentMillicents = () => millicents("Cost of the impressions.");
export const campaignSpentMillicents = () => millicents("Spending of the campaign.");
export const averageScore = () =>
  Type.Number({
    minimum: 0,
    description: "Mean affinity score of the impressions, to four decimals; 0 without impressions.",
  });

/** In the order of evaluation: the first that applies (docs/behaviour.md#pacing). */
export const PACING_STATUSES = [
  "not_started",
  "exhausted",
  "capped_today",
  "over_pacing",
  "under_pacing",
  "on_pace",
] as const;
export type PacingStatus = (typeof PACING_STATUSES)[number];

export const spendSum = closed(
  { impressions: count("Impressions."), spent_millicents: millicents("What they have cost.") },
  "Impressions and what they have cost.",
);

/** Of every operation. */
export const common = { group: "analytics", scope: "advertiser" } as const;
export const ofCampaign = "/campaigns/{campaign_id}/analytics";
