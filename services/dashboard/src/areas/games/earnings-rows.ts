import type { AnswerOf } from "../../api/operations.ts";

export type EarningsRow = AnswerOf<"GET /earnings">["rows"][number];

/** One row a day, oldest first; days without earnings are zeros that can be seen. */
export function earnedByDay(rows: readonly EarningsRow[], days: readonly string[]) {
  const sums = new Map(days.map((date) => [date, 0]));
  for (const { date, earned_microcents: earned } of rows) sums.set(date, (sums.get(date) ?? 0) + earned);
  return [...sums].map(([date, earned]) => ({ date, earned }));
}

export function sumEarned(rows: readonly EarningsRow[]): number {
  return rows.reduce((sum, { earned_microcents: earned }) => sum + earned, 0);
}
