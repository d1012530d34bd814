import type { AnswerOf } from "../../api/operations.ts";
import { impressionCents } from "../../format/format.ts";
import type { Tone } from "../../kit/status.tsx";
import { hasEnded } from "./flight.ts";

export type CampaignSummary = AnswerOf<"GET /analytics/campaigns">["campaigns"][number];

export interface CampaignState {
  word: string;
  tone: Tone;
  cause: string | undefined;
}

export const MILLICENTS_PER_CENT = 1_000;

/**
 * Which of the two is spent in an exhausted campaign: the smaller does not pay for another impression. Undefined while
 * the balance is unknown.
 */
export function exhaustedPart(
  {
    spent_millicents: spent,
    budget_cents: budget,
  }: Pick<CampaignSummary, "spent_millicents" | "budget_cents">,
  balanceCents: number | undefined,
): "budget" | "balance" | undefined {
  const remaining = budget * MILLICENTS_PER_CENT - spent;
  if (remaining <= 0) return "budget";
  if (balanceCents === undefined) return undefined;
  return remaining <= balanceCents * MILLICENTS_PER_CENT ? "budget" : "balance";
}

const EXHAUSTED_CAUSES = { budget: "Budget is used up", balance: "Balance is used up" } as const;

export const CAP_BELOW_PRICE = "The daily cap is below the price of one impression";

/** Whether the daily cap pays for no impression, on no day. */
export function isCapBelowPrice({
  daily_cap_cents: cap,
  cpm_bid_cents: bid,
}: Pick<CampaignSummary, "daily_cap_cents" | "cpm_bid_cents">): boolean {
  return cap !== null && cap < impressionCents(bid);
}

/** Whether a campaign is shown to players now, and why not. */
export function campaignState(
  campaign: Pick<
    CampaignSummary,
    | "status"
    | "creatives"
    | "pacing_status"
    | "spent_millicents"
    | "budget_cents"
    | "end_date"
    | "cpm_bid_cents"
    | "daily_cap_cents"
  >,
  balanceCents: number | undefined,
  nowMs: number,
): CampaignState {
  const { status, creatives, pacing_status: pacing } = campaign;
  if (status === "draft") {
    const cause = creatives === 0 ? "It needs a creative" : "Ready to be activated";
    return { word: "Draft", tone: "quiet", cause };
  }
  // Nothing but a person pauses a campaign: spent money ends its serving, not its status.
  if (status === "paused") {
    const cause = creatives === 0 ? "By your account; it needs a creative" : "By your account";
    return { word: "Paused", tone: "quiet", cause };
  }
  if (hasEnded(campaign, nowMs)) {
    return { word: "Active, not serving", tone: "quiet", cause: "Its end date has passed" };
  }
  switch (pacing) {
    case "not_started":
      return { word: "Active, not serving", tone: "info", cause: "Its start date has not come" };
    case "exhausted": {
      const part = exhaustedPart(campaign, balanceCents);
      const cause = part === undefined ? "Budget or balance is used up" : EXHAUSTED_CAUSES[part];
      return { word: "Active, not serving", tone: "negative", cause };
    }
    case "capped_today":
      return isCapBelowPrice(campaign)
        ? { word: "Active, not serving", tone: "negative", cause: CAP_BELOW_PRICE }
        : { word: "Active, not serving", tone: "warning", cause: "Daily cap reached until 00:00 UTC" };
    case "under_pacing":
      return { word: "Active", tone: "positive", cause: "Spends slower than planned" };
    case "over_pacing":
      return { word: "Active", tone: "positive", cause: "Spends faster than planned" };
    default:
      return { word: "Active", tone: "positive", cause: undefined };
  }
}
