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

export type AdvertiserRow = AnswerOf<"GET /earnings/advertisers">["rows"][number];

/** What a list shows instead of the name of an unknown advertiser. */
export const UNKNOWN_ADVERTISER = "Unknown advertiser";

/** The advertisers that can be chosen, by name; one that shares its name is told apart by its identifier. */
export function advertiserChoices(rows: readonly AdvertiserRow[]): { value: string; label: string }[] {
  const named = rows.flatMap(({ advertiser_id: value, company_name: name }) =>
    value === null ? [] : [{ value, name: name ?? value }],
  );
  return named
    .map(({ value, name }) => ({
      value,
      label: named.filter((other) => other.name === name).length > 1 ? `${name} (${value})` : name,
    }))
    .sort((one, other) => one.label.localeCompare(other.label));
}
