/** The goal of a benchmark; both bounds are inclusive. */
export interface Goal {
  atLeast?: number;
  atMost?: number;
  /** A stricter goal. */
  aim?: number;
}

/** One row of the table: the median of its rounds, with minimum and maximum. */
export interface Metric {
  /** Stable and snake_case, to compare the results of two runs, such as `match_10000_per_second`. */
  id: string;
  /** For people, such as "/match, 10 000 campaigns". */
  label: string;
  /** Such as "1/s", "ms", "× B", "MB". */
  unit: string;
  median: number;
  lowest: number;
  highest: number;
  rounds: number;
  goal?: Goal;
  /** Context for the reader, such as the share of requests that found an ad. */
  note?: string;
}

/** The environment of a suite. */
export interface Run {
  /** A smaller and shorter measurement, to verify that the suite works. */
  quick: boolean;
  /** Number of rounds: at least five in a full run. */
  rounds: number;
  /** The suite's names on the command line. */
  wanted: ReadonlySet<string>;
  /** Logs one line of progress. */
  say(line: string): void;
  /** An empty directory, removed after the suite. */
  directory: string;
  /** Runs after the suite, also after a failure; last in, first out. */
  defer(cleanUp: () => unknown): void;
}

/** A set of measurements. `--only` selects one or several of `names`. */
export interface Suite {
  names: readonly string[];
  run(run: Run): Promise<Metric[]>;
}
