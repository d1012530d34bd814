/** What is wrong with a form that its schema cannot say: it knows neither other fields nor what is stored. */
import { compileSchedule } from "@diegetic/ad-rules/schedule";
import type { BodyOf } from "../../api/operations.ts";
import { formatCents } from "../../format/format.ts";
import type { Campaign } from "./use-campaign.ts";

/** A budget covers what is spent; one that is not changed is not sent. */
export function budgetCoversSpent(
  { budget_cents: budget }: { budget_cents?: number | null | undefined },
  { budget_cents: stored, spent_cents: spent }: Pick<Campaign, "budget_cents" | "spent_cents">,
): { budget_cents?: string } {
  if (typeof budget !== "number" || budget === stored || !(budget < spent)) return {};
  return { budget_cents: `Enter ${formatCents(spent)} or more: the spend so far, rounded up.` };
}

interface Dates {
  start_date?: string | null | undefined;
  end_date?: string | null | undefined;
}

/**
 * The last day is not before the first, by the moments that the API compares.
 * @param stored dates that are not sent unless one of them was changed
 */
export function datesInOrder(dates: Dates, stored: Dates = {}): { end_date?: string } {
  const { start_date = null, end_date = null } = dates;
  if (start_date === (stored.start_date ?? null) && end_date === (stored.end_date ?? null)) return {};
  const schedule = compileSchedule({ start_date, end_date });
  const isReversed = schedule !== null && schedule.endsBeforeMs <= schedule.startsAtMs;
  return isReversed ? { end_date: "The last day must not be before the first." } : {};
}

/** A narrative hook needs a line. */
export function missingLine({
  creative_type: type,
  narrative_hook: line,
}: {
  creative_type?: BodyOf<"POST /campaigns/{campaign_id}/creatives">["creative_type"] | undefined;
  narrative_hook?: string | null | undefined;
}): { narrative_hook?: string } {
  const isMissing = type === "narrative_hook" && (line ?? "") === "";
  return isMissing ? { narrative_hook: "Write the line first." } : {};
}
