import type { AnswerOf } from "../../api/operations.ts";

export type EarningsRow = AnswerOf<"GET /earnings">["rows"][number];

const DAY_MS = 86_400_000;
const ISO_DAY_LENGTH = "2026-12-01".length;

function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, ISO_DAY_LENGTH);
}

/** The first UTC day of a period that ends today: `month`, or a number of days. */
export function firstDayOf(period: string, now: Date): string {
  if (period === "month") return `${isoDay(now.getTime()).slice(0, -2)}01`;
  const days = Number(period) > 0 ? Number(period) : 30;
  return isoDay(now.getTime() - (days - 1) * DAY_MS);
}

/** All UTC days from the first to the last, both included. */
export function daysBetween(from: string, to: string): string[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => isoDay(Date.parse(from) + index * DAY_MS));
}

/** One row a day, oldest first; days without earnings are zeros that can be seen. */
export function earnedByDay(rows: readonly EarningsRow[], days: readonly string[]) {
  const sums = new Map(days.map((date) => [date, 0]));
  for (const { date, earned_microcents: earned } of rows) sums.set(date, (sums.get(date) ?? 0) + earned);
  return [...sums].map(([date, earned]) => ({ date, earned }));
}

export function sumEarned(rows: readonly EarningsRow[]): number {
  return rows.reduce((sum, { earned_microcents: earned }) => sum + earned, 0);
}
