import type { AnswerOf } from "../../api/operations.ts";
import { centsOfMillicents } from "../../format/format.ts";
import type { Campaign } from "./use-campaign.ts";

const DAY_MS = 86_400_000;
const MAX_DAYS = 120;

type DailyRow = AnswerOf<"GET /campaigns/{campaign_id}/analytics/daily">["days"][number];
type Pacing = AnswerOf<"GET /campaigns/{campaign_id}/analytics/pacing">;

export interface SpendRow extends Record<string, string | number | null> {
  date: string;
  /** All that is spent by the end of the day; null in the future. */
  spent: number | null;
  /** What would be spent by then if every day took the same share of the flight; null without dates or cap. */
  ideal: number | null;
  /** Where the spend leads at the average of the days so far; null in the past. */
  projected: number | null;
}

/** Cumulated spend day by day, beside the ideal line and the projection to the end of the budget, in cents. */
export function spendRows(
  campaign: Pick<Campaign, "budget_cents" | "daily_cap_cents" | "start_date" | "end_date">,
  daysNewestFirst: readonly DailyRow[],
  pacing: Pick<Pacing, "spent_millicents" | "avg_daily_spend_cents" | "projected_exhaustion_date">,
): SpendRow[] {
  const days = [...daysNewestFirst].reverse();
  const firstSpend = days.findIndex(({ spent_millicents: spent }) => spent > 0);
  const flightStart = campaign.start_date?.slice(0, 10);
  const shown = days.filter(
    ({ date }, index) =>
      (firstSpend >= 0 && index >= Math.max(0, firstSpend - 1)) ||
      (flightStart !== undefined && date >= flightStart) ||
      index >= days.length - 7,
  );
  const spentInShown = shown.reduce((sum, { spent_millicents: spent }) => sum + spent, 0);
  let spent = Math.max(0, pacing.spent_millicents - spentInShown);
  const ideal = idealAt(campaign, shown[0]?.date);
  const rows: SpendRow[] = shown.map(({ date, spent_millicents: ofDay }) => {
    spent += ofDay;
    return { date, spent: centsOfMillicents(spent), ideal: ideal(date), projected: null };
  });
  const last = rows.at(-1);
  if (last === undefined) return rows;
  last.projected = last.spent;
  const { avg_daily_spend_cents: perDay, projected_exhaustion_date: exhaustion } = pacing;
  const end = campaign.end_date?.slice(0, 10) ?? exhaustion;
  if (end === null || end === undefined || perDay === 0) return rows;
  for (let ahead = 1; ahead <= MAX_DAYS - shown.length; ahead += 1) {
    const date = new Date(Date.parse(last.date) + ahead * DAY_MS).toISOString().slice(0, 10);
    const projected = Math.min(campaign.budget_cents, (last.spent ?? 0) + perDay * ahead);
    rows.push({ date, spent: null, ideal: ideal(date), projected });
    if (date >= end || projected === campaign.budget_cents) break;
  }
  return rows;
}

function idealAt(
  {
    budget_cents: budget,
    daily_cap_cents: cap,
    start_date: start,
    end_date: end,
  }: Parameters<typeof spendRows>[0],
  firstDay: string | undefined,
): (date: string) => number | null {
  if (start !== null && end !== null) {
    const [from, to] = [Date.parse(start.slice(0, 10)), Date.parse(end.slice(0, 10)) + DAY_MS];
    return (date) => {
      const elapsed = (Date.parse(date) + DAY_MS - from) / Math.max(DAY_MS, to - from);
      return budget * Math.min(1, Math.max(0, elapsed));
    };
  }
  if (cap === null || firstDay === undefined) return () => null;
  const from = Date.parse(firstDay);
  return (date) => Math.min(budget, cap * ((Date.parse(date) - from) / DAY_MS + 1));
}
