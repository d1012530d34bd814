/** What a benchmark may be held against; both bounds are inclusive. */
export interface Goal {
  atLeast?: number;
  atMost?: number;
  /** Better still. */
  aim?: number;
}

/** One number of the table: the median of its rounds, with the lowest and the highest. */
export interface Figure {
  /** Stable and snake_case: what results of two runs are compared by, such as `match_10000_per_second`. */
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
  /** What has to be known to read it, such as the share of requests that found an ad. */
  note?: string;
}

/** What a suite works with. */
export interface Run {
  /** A smaller and shorter measurement, to see that it works. */
  quick: boolean;
  /** How often everything is measured: at least five in a full run. */
  rounds: number;
  /** The names on the command line that this suite has. */
  wanted: ReadonlySet<string>;
  /** Progress, one line. */
  say(line: string): void;
  /** An empty directory that is removed after the suite. */
  directory: string;
  /** Runs after the suite, also when it failed; last in, first out. */
  defer(cleanUp: () => unknown): void;
}

/** Something that is measured together. `--only` names one or several of `names`. */
export interface Suite {
  names: readonly string[];
  run(run: Run): Promise<Figure[]>;
}
