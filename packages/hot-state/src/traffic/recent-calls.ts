const INTERVAL_MS = 10_000;
/** Five minutes. */
const INTERVALS = 30;

export interface RecentCounts {
  /** Scenes answered with an ad. */
  matches: number;
  impressions: number;
}

/** Counts the calls of a process in the last five minutes, to ten seconds, in bounded memory. */
export class RecentCalls {
  readonly #intervals: (RecentCounts & { interval: number })[] = [];

  record(kind: keyof RecentCounts, atMs: number): void {
    const interval = Math.floor(atMs / INTERVAL_MS);
    const known = this.#intervals[interval % INTERVALS];
    if (known?.interval === interval) known[kind] += 1;
    else this.#intervals[interval % INTERVALS] = { interval, matches: 0, impressions: 0, [kind]: 1 };
  }

  counts(nowMs: number): RecentCounts {
    const current = Math.floor(nowMs / INTERVAL_MS);
    return this.#intervals
      .filter(({ interval }) => interval > current - INTERVALS && interval <= current)
      .reduce<RecentCounts>(
        (sum, { matches, impressions }) => ({
          matches: sum.matches + matches,
          impressions: sum.impressions + impressions,
        }),
        { matches: 0, impressions: 0 },
      );
  }
}
