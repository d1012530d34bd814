import { DAY_MS, type Database, ensureImpressionPartition, utcDay } from "@diegetic/database";
import { MIN_RETENTION_DAYS } from "../retention/limits.ts";

const MAX_REMEMBERED_DAYS = 1_000;

/** Creates the partition of a day before the first write to it; queries Postgres once per recent day. */
export class DayPartitions {
  readonly #database: Database;
  readonly #nowMs: () => number;
  readonly #known = new Set<string>();

  constructor(database: Database, nowMs: () => number = Date.now) {
    this.#database = database;
    this.#nowMs = nowMs;
  }

  /** Days as `YYYY-MM-DD`. Returns those into which nothing can be written, because their impressions were dropped. */
  async ensure(days: Iterable<string>): Promise<Set<string>> {
    const dropped = new Set<string>();
    // Another process may drop an older day, or the day beside it, at any time.
    const rememberedFrom = utcDay(this.#nowMs() - (MIN_RETENTION_DAYS - 2) * DAY_MS);
    for (const day of new Set(days)) {
      if (this.#known.has(day) && day >= rememberedFrom) continue;
      if (!(await ensureImpressionPartition(this.#database, day))) {
        dropped.add(day);
        continue;
      }
      if (this.#known.size >= MAX_REMEMBERED_DAYS) this.#known.clear();
      this.#known.add(day);
    }
    return dropped;
  }

  /** Asks Postgres again: a partition may have been dropped. */
  forget(): void {
    this.#known.clear();
  }
}
