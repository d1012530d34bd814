import { MAX_MATCH_AGE_MS } from "@diegetic/contracts";
import { DAY_MS, type Database, utcDay } from "@diegetic/database";
import type { MoneyCommands } from "@diegetic/hot-state";
import type { Logger } from "@diegetic/service-kit";
import { walletPages, wholeOutbox } from "../loops/pages.ts";
import type { BillingMeasures } from "../measures.ts";
import { type DropOutcome, dropDay } from "./drop-day.ts";
import { readPartitions } from "./partition-days.ts";

export interface RetentionDependencies {
  /** Its statements may take DROP_TIMEOUT_MS. */
  database: Database;
  money: Pick<MoneyCommands, "listOutbox">;
  measures: Pick<BillingMeasures, "droppedImpressions" | "overdueDays">;
  logger: Logger;
  nowMs: () => Promise<number>;
  retentionDays: number;
}

/**
 * Drops the impressions of days that ended more than `retentionDays` ago; all totals stay
 * (docs/behaviour.md#retention). A day is dropped only when no record of the day, or of the seven days after,
 * waits in an outbox: afterwards nothing can say whether such a record was written.
 */
export class Retention {
  readonly #dependencies: RetentionDependencies;

  constructor(dependencies: RetentionDependencies) {
    this.#dependencies = dependencies;
  }

  async pass(signal: AbortSignal): Promise<void> {
    const { database, measures, logger, nowMs, retentionDays } = this.#dependencies;
    const keptFrom = utcDay((await nowMs()) - retentionDays * DAY_MS);
    const partitions = await readPartitions(database);
    const old = partitions.map(({ day }) => day).filter((day) => day < keptFrom);
    measures.overdueDays.set(old.length);
    if (old.length === 0) return;
    const waitingSinceMs = await this.#oldestWaiting(signal);
    for (const day of old.sort()) {
      if (signal.aborted) break;
      if (Date.parse(day) + DAY_MS + MAX_MATCH_AGE_MS > waitingSinceMs) {
        const oldestWaiting = waitingSinceMs > 0 ? new Date(waitingSinceMs).toISOString() : "unknown";
        logger.warn({ day, oldestWaiting }, "old impressions kept: records wait to be written");
        break;
      }
      const result = await dropDay(database, day, signal).catch((error: unknown): DropOutcome => {
        if (signal.aborted) return { outcome: "busy" };
        throw error;
      });
      if (result.outcome === "busy") break;
      if (result.outcome === "differs") {
        logger.error({ day }, "old impressions kept: they differ from totals");
        continue;
      }
      measures.overdueDays.dec();
      if (result.outcome !== "dropped") continue;
      measures.droppedImpressions.inc(result.impressions);
      logger.info({ day, impressions: result.impressions }, "old impressions dropped");
    }
  }

  /** When the oldest record of all outboxes was recorded, Unix ms. 0: unknown; Infinity: none waits. */
  async #oldestWaiting(signal: AbortSignal): Promise<number> {
    const { database } = this.#dependencies;
    let oldestMs = Number.POSITIVE_INFINITY;
    for await (const page of walletPages(database)) {
      for (const walletId of page) oldestMs = Math.min(oldestMs, await this.#oldestOf(walletId, signal));
      if (signal.aborted) return 0;
    }
    return oldestMs;
  }

  async #oldestOf(walletId: string, signal: AbortSignal): Promise<number> {
    let oldestMs = Number.POSITIVE_INFINITY;
    for await (const { items, damaged } of wholeOutbox(this.#dependencies.money, walletId)) {
      // A damaged entry does not say when it was recorded.
      if (damaged.length > 0 || signal.aborted) return 0;
      for (const { recorded_at_ms } of items) oldestMs = Math.min(oldestMs, recorded_at_ms);
    }
    return oldestMs;
  }
}
