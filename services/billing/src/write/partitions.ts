import { type Database, ensureImpressionPartition } from "@diegetic/database";

const MAX_REMEMBERED_DAYS = 1_000;

/** Creates the partition of a day before the first write to it; queries Postgres once per day. */
export class Partitions {
  readonly #database: Database;
  readonly #known = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Days as `YYYY-MM-DD`. */
  async ensure(days: Iterable<string>): Promise<void> {
    for (const day of new Set(days)) {
      if (this.#known.has(day)) continue;
      await ensureImpressionPartition(this.#database, day);
      if (this.#known.size >= MAX_REMEMBERED_DAYS) this.#known.clear();
      this.#known.add(day);
    }
  }

  /** Asks Postgres again: a partition may have been dropped. */
  forget(): void {
    this.#known.clear();
  }
}
