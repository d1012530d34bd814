/** The series of a game's calls. */
export const CALLS = [
  { key: "requests", label: "Requests", role: "other" },
  { key: "matches", label: "Matches", role: "own" },
  { key: "impressions", label: "Impressions", role: "blue" },
] as const;

/** The sums of counts by name, such as those of the errors in each hour. */
export function sumsByName(counts: readonly Readonly<Record<string, number>>[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [name, count] of counts.flatMap((one) => Object.entries(one))) {
    sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return sums;
}
