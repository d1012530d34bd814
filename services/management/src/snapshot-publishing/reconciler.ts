import type { Database } from "@diegetic/database";
import type { MoneyCommands, SnapshotEntry, SnapshotPublisher } from "@diegetic/hot-state";
import type { Logger, Metrics } from "@diegetic/service-kit";
import { markPublished, PUBLISHED_KINDS, type PublishedKind, page, unpublished } from "./load.ts";
import type { Publishing } from "./publishing.ts";

const EVERY_MS = 2_000;
const PAGE_ROWS = 100;
/** Slots looked at in one round: each advertiser's turn comes round, whatever Redis has lost. */
const SLOTS_PER_ROUND = 500;

export interface ReconcilerParts {
  database: Database;
  publishing: Publishing;
  snapshot: SnapshotPublisher;
  slots: Pick<MoneyCommands, "committedCounts">;
  /** Runs once a round: other upkeep that needs no exactness in time. */
  upkeep: () => Promise<void>;
  logger: Logger;
  metrics: Metrics;
}

/**
 * The loop that mends what a crash, or an absent Redis, left behind:
 * an empty snapshot is rebuilt from Postgres, rows that were committed but not published are published, and slots that
 * Redis lost are made anew. Any number of instances may run it at once.
 */
export class Reconciler {
  readonly #parts: ReconcilerParts;
  readonly #republished;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;
  #lastSlot = "";

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
    this.#republished = parts.metrics.counter(
      "snapshot_republished_rows_total",
      "Rows that the reconciling loop had to publish",
      ["kind"],
    );
  }

  /**
   * Publishes everything once, since Redis may have come back with older data than this service has seen, then runs a
   * round every 2 s. Rejects when the first publishing fails.
   */
  async start(): Promise<void> {
    await this.#rebuild();
    this.#schedule();
  }

  /** Ends the loop after the round that is running. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#running = this.round()
        .catch((error: unknown) =>
          this.#parts.logger.warn({ err: error }, "reconciling failed, trying again"),
        )
        .then(() => this.#schedule());
    }, EVERY_MS);
  }

  /** One round of everything; for tests, too. */
  async round(): Promise<void> {
    if (await this.#parts.snapshot.isEmpty()) {
      this.#parts.logger.warn("the snapshot is empty: publishing everything");
      await this.#rebuild();
    }
    for (const kind of PUBLISHED_KINDS) await this.#republish(kind);
    await this.#restoreSlots();
    await this.#parts.upkeep();
  }

  async #rebuild(): Promise<void> {
    const version = await this.#parts.snapshot.rebuild(this.#everything());
    this.#parts.logger.info({ version }, "published everything there is");
  }

  async *#everything(): AsyncGenerator<SnapshotEntry[]> {
    for (const kind of PUBLISHED_KINDS) {
      let after = "";
      for (;;) {
        const ids = await page(this.#parts.database, kind, after, PAGE_ROWS);
        const last = ids.at(-1);
        if (last === undefined) break;
        const { entries, rows } = await this.#parts.publishing.prepare(kind, ids);
        yield entries;
        await markPublished(this.#parts.database, kind, rows);
        after = last;
      }
    }
  }

  async #republish(kind: PublishedKind): Promise<void> {
    const ids = await unpublished(this.#parts.database, kind, PAGE_ROWS);
    if (ids.length === 0) return;
    await this.#parts.publishing.publish(kind, ids);
    this.#republished.inc({ kind }, ids.length);
    this.#parts.logger.info({ kind, rows: ids.length }, "published rows that were left behind");
  }

  async #restoreSlots(): Promise<void> {
    const ids = await page(this.#parts.database, "advertiser", this.#lastSlot, SLOTS_PER_ROUND);
    this.#lastSlot = ids.length < SLOTS_PER_ROUND ? "" : (ids.at(-1) ?? "");
    if (ids.length === 0) return;
    const counts = await this.#parts.slots.committedCounts(ids);
    const lost = ids.filter((id) => counts.get(id) === null).slice(0, PAGE_ROWS);
    for (const advertiserId of lost) await this.#restoreSlot(advertiserId);
  }

  /** Campaigns first: while the account is missing the slot stays frozen, and a crash here is noticed again. */
  async #restoreSlot(advertiserId: string): Promise<void> {
    const { database, publishing, logger } = this.#parts;
    logger.warn({ advertiserId }, "the advertiser's slot is missing: making it from Postgres");
    const campaigns = await database.campaign.findMany({
      where: { advertiserId },
      select: { id: true },
      orderBy: { id: "asc" },
    });
    for (let start = 0; start < campaigns.length; start += PAGE_ROWS) {
      const ids = campaigns.slice(start, start + PAGE_ROWS).map(({ id }) => id);
      await publishing.publish("campaign", ids);
    }
    await publishing.publish("advertiser", [advertiserId]);
  }
}
