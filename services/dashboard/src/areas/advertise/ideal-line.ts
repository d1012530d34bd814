import { compileSchedule } from "@diegetic/ad-rules/schedule";
import type { AnswerOf } from "../../api/operations.ts";
import { DAY_MS, utcDayOf } from "../../format/days.ts";
import { centsOfMillicents } from "../../format/format.ts";
import { flightDays } from "./flight.ts";
import { hasPace } from "./spend-outlook.ts";
import type { Campaign, Pacing } from "./use-campaign.ts";

const MAX_DAYS = 120;
/** Days that are projected for each day that there is spend of: more would say more than is known. */
const MAX_PROJECTED_PER_DAY = 2;

export type DailyRow = AnswerOf<"GET /campaigns/{campaign_id}/analytics/daily">["days"][number];

export interface SpendRow extends Record<string, string | number | null> {
  date: string;
  /** All that is spent by the end of the day; null in the future. */
  spent: number | null;
  /** What should be spent by then, as the pacing measures it; null without dates or cap, and before the start. */
  ideal: number | null;
  /** Where the spend leads at the average of the days so far; null in the past. */
  projected: number | null;
}

/** Cumulated spend day by day, beside the ideal line and the projection to the end of budget or balance, in cents. */
export function spendRows(
  campaign: Pick<Campaign, "status" | "budget_cents" | "daily_cap_cents" | "start_date" | "end_date">,
  daysNewestFirst: readonly DailyRow[],
  pacing: Pick<
    Pacing,
    | "spent_millicents"
    | "avg_daily_spend_cents"
    | "projected_exhaustion_date"
    | "days_active"
    | "pacing_status"
  >,
  balanceCents?: number,
): SpendRow[] {
  const days = [...daysNewestFirst].reverse();
  const firstSpend = days.findIndex(({ spent_millicents: spent }) => spent > 0);
  const { first: flightStart, last: flightEnd } = flightDays(campaign);
  const shown = days.filter(
    ({ date }, index) =>
      (firstSpend >= 0 && index >= Math.max(0, firstSpend - 1)) ||
      (flightStart !== undefined && date >= flightStart) ||
      index >= days.length - 7,
  );
  const spentInShown = shown.reduce((sum, { spent_millicents: spent }) => sum + spent, 0);
  let spent = Math.max(0, pacing.spent_millicents - spentInShown);
  const ideal = idealAt(campaign, pacing, days.at(-1)?.date);
  const rows: SpendRow[] = shown.map(({ date, spent_millicents: ofDay }) => {
    spent += ofDay;
    return { date, spent: centsOfMillicents(spent), ideal: ideal(date), projected: null };
  });
  const last = rows.at(-1);
  if (last === undefined) return rows;
  last.projected = last.spent;
  const { avg_daily_spend_cents: perDay, projected_exhaustion_date: exhaustion } = pacing;
  const end = flightEnd ?? exhaustion;
  if (end === null || end === undefined || end < last.date) return rows;
  if (!hasPace(campaign, pacing) || pacing.pacing_status === "exhausted") return rows;
  const spentCents = last.spent ?? 0;
  const most = Math.min(campaign.budget_cents, spentCents + (balanceCents ?? Number.POSITIVE_INFINITY));
  const daysSoFar = Math.min(shown.length, pacing.days_active ?? 0);
  const maxAhead = Math.min(MAX_DAYS - shown.length, daysSoFar * MAX_PROJECTED_PER_DAY);
  for (let ahead = 1; ahead <= maxAhead; ahead += 1) {
    const date = utcDayOf(Date.parse(last.date) + ahead * DAY_MS);
    const projected = Math.min(most, spentCents + perDay * ahead);
    rows.push({ date, spent: null, ideal: ideal(date), projected });
    if (date >= end || projected === most) break;
  }
  return rows;
}

function idealAt(
  campaign: Parameters<typeof spendRows>[0],
  { days_active: daysActive, pacing_status: status }: Pick<Pacing, "days_active" | "pacing_status">,
  today: string | undefined,
): (date: string) => number | null {
  const { budget_cents: budget, daily_cap_cents: cap, start_date: start, end_date: end } = campaign;
  const schedule = compileSchedule(campaign);
  if (start !== null && end !== null && schedule !== null) {
    const { startsAtMs, endsBeforeMs } = schedule;
    return (date) => {
      const elapsed = (Date.parse(date) + DAY_MS - startsAtMs) / Math.max(1, endsBeforeMs - startsAtMs);
      return budget * Math.min(1, Math.max(0, elapsed));
    };
  }
  if (cap === null || daysActive === null || today === undefined || status === "not_started")
    return () => null;
  const todayMs = Date.parse(today);
  return (date) => {
    const daysAhead = (Date.parse(date) - todayMs) / DAY_MS;
    return Math.min(budget, cap * Math.max(0, daysActive + daysAhead));
  };
}
