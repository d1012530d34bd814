import type { AnswerOf } from "../../api/operations.ts";
import { sumOf } from "../../format/change.ts";

export type EarningsRow = AnswerOf<"GET /earnings">["rows"][number];

/** One row a day, oldest first; days without earnings are zeros that can be seen. */
export function earnedByDay(rows: readonly EarningsRow[], days: readonly string[]) {
  const sums = new Map(days.map((date) => [date, 0]));
  for (const { date, earned_microcents: earned } of rows) sums.set(date, (sums.get(date) ?? 0) + earned);
  return [...sums].map(([date, earned]) => ({ date, earned }));
}

export const sumEarned = sumOf(({ earned_microcents: earned }: EarningsRow) => earned);

/** What each game has earned and shown; nothing of games without a row. */
export function sumsByGame(
  rows: readonly EarningsRow[],
): ReadonlyMap<string, { earned: number; impressions: number }> {
  const sums = new Map<string, { earned: number; impressions: number }>();
  for (const { game_id: game, earned_microcents: earned, impressions } of rows) {
    const sofar = sums.get(game);
    sums.set(game, {
      earned: (sofar?.earned ?? 0) + earned,
      impressions: (sofar?.impressions ?? 0) + impressions,
    });
  }
  return sums;
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
