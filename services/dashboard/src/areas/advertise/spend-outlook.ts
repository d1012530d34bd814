import { DAY_MS } from "../../format/days.ts";
import { formatCents, formatDayWithYear } from "../../format/format.ts";
import { flightDays } from "./flight.ts";
import type { Campaign, Pacing } from "./use-campaign.ts";

const MAX_DAYS = 365;
/** The days of the first activation and of today are parts of days. */
const MIN_DAYS_ACTIVE = 3;

/** Whether the average of the days so far says anything about those to come. */
export function hasPace(
  { status }: Pick<Campaign, "status">,
  { days_active: days, avg_daily_spend_cents: perDay }: Pick<Pacing, "days_active" | "avg_daily_spend_cents">,
): boolean {
  return status === "active" && days !== null && days >= MIN_DAYS_ACTIVE && perDay > 0;
}

/**
 * How many whole days budget, balance and campaign last at the average of the days so far, whichever ends first; undefined
 * without a pace.
 */
export function spendOutlook(
  campaign: Pick<Campaign, "status" | "start_date" | "end_date">,
  pacing: Pick<Pacing, "days_active" | "avg_daily_spend_cents" | "remaining_cents">,
  balanceCents: number,
  nowMs: number,
): string | undefined {
  if (!hasPace(campaign, pacing)) return undefined;
  const { remaining_cents: budgetCents, avg_daily_spend_cents: perDay } = pacing;
  const isBalanceLess = balanceCents < budgetCents;
  const days = Math.floor((isBalanceLess ? balanceCents : budgetCents) / perDay);
  const what = isBalanceLess ? "Balance" : "Budget";
  // Other campaigns spend the balance as well.
  const alone = isBalanceLess ? " for this campaign alone" : "";
  const until = new Date(nowMs + Math.min(days, MAX_DAYS) * DAY_MS).toISOString();
  const { last } = flightDays(campaign);
  if (last !== undefined && last < until) {
    return `${what} lasts until the campaign ends on ${formatDayWithYear(last)}${alone}`;
  }
  if (days > MAX_DAYS) return `${what} lasts more than a year at this pace`;
  return `${what} lasts at least until ${formatDayWithYear(until)}${alone}`;
}

/** How much of a budget the balance pays for; undefined where that is all that is left. */
export function balanceSentence(
  budgetCents: number | null | undefined,
  spentCents: number,
  balanceCents: number | undefined,
): string | undefined {
  if (typeof budgetCents !== "number" || balanceCents === undefined) return undefined;
  // Also false for an amount that cannot be read.
  if (!(balanceCents < budgetCents - spentCents)) return undefined;
  return `Your balance pays for ${formatCents(balanceCents)} of ${spentCents > 0 ? "what is left" : "it"}.`;
}
