import type { BodyOf } from "../../api/operations.ts";
import { centsOfMillicents, formatExactCents } from "../../format/format.ts";
import type { Campaign } from "./use-campaign.ts";

interface Now {
  todaySpentCents: number;
  /** Held for matches that nobody has seen yet; undefined while unknown. */
  heldCents: number | undefined;
}

/** What the changes do, before they are saved. */
export function consequences(
  campaign: Pick<Campaign, "budget_cents" | "cpm_bid_cents" | "spent_millicents">,
  values: Partial<BodyOf<"PATCH /campaigns/{campaign_id}">>,
  { todaySpentCents, heldCents }: Now,
): string[] {
  const { budget_cents: budget, cpm_bid_cents: bid, daily_cap_cents: cap } = values;
  const found: string[] = [];
  if (typeof budget === "number" && budget < campaign.budget_cents) {
    const left = budget - centsOfMillicents(campaign.spent_millicents);
    found.push(heldSentence(left, heldCents));
    const price = centsOfMillicents(bid ?? campaign.cpm_bid_cents);
    if (left < price) found.push("With this budget the campaign is no longer served.");
  }
  if (typeof bid === "number" && bid !== campaign.cpm_bid_cents) {
    found.push("A new bid counts from the next match; ads that are already matched cost the former one.");
  }
  if (typeof cap === "number" && cap <= todaySpentCents) {
    found.push("Today has cost as much as this cap: the campaign is served again at 00:00 UTC.");
  }
  if (found.length === 0) found.push("Takes effect with the next match.");
  return found;
}

/** What a lower budget does to ads that are matched and not yet seen. */
function heldSentence(leftCents: number, heldCents: number | undefined): string {
  const left = Math.max(0, leftCents);
  if (heldCents === undefined) {
    return "A lower budget: ads that are matched but not yet seen are refused where they no longer fit.";
  }
  const held = `${formatExactCents(heldCents)} is held for ads that are matched but not yet seen`;
  if (heldCents <= left) return `${held}, and still fits into the lower budget.`;
  return `${held}. ${formatExactCents(heldCents - left)} of it no longer fits: those impressions are refused.`;
}
