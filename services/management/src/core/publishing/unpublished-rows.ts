import { chunks } from "@diegetic/collections";
import { type Database, DatabaseUnavailable, LockTimeout } from "@diegetic/database";
import { ForeignRedis, isRedisUnavailable } from "@diegetic/hot-state";
import type { Logger, Metrics } from "@diegetic/service-kit";
import { lockedAmong, PUBLISHED_KINDS, type PublishedKind, pageOfUnpublished } from "./published-rows.ts";
import { type Publishing, WalletNotReady } from "./publishing.ts";

const PAGE_ROWS = 100;
/** Of rows that are published one by one, because one of them fails. */
const MAX_CONCURRENT_ROWS = 8;

export interface UnpublishedRowsParts {
  database: Database;
  publishing: Pick<Publishing, "publish">;
  logger: Logger;
  metrics: Metrics;
}

/** Publishes committed rows that a crash, or an unavailable Redis, left unpublished. */
export class UnpublishedRows {
  readonly #parts: UnpublishedRowsParts;
  readonly #republished;
  /**
   * Unpublished at the last check: most are just being published by the request that changed them. The next check
   * continues after a page of rows, because those of an unavailable node stay unpublished.
   */
  readonly #unpublished = new Map<PublishedKind, { met: ReadonlySet<string>; after: string }>();
  /** Rows that a check waited for in vain: later ones leave them out until they are free. */
  readonly #locked = new Map<PublishedKind, Map<string, LockTimeout>>();

  constructor(parts: UnpublishedRowsParts) {
    this.#parts = parts;
    this.#republished = parts.metrics.counter(
      "snapshot_republished_rows_total",
      "Rows that the repair loop had to publish",
      ["kind"],
    );
  }

  /**
   * Publishes the next page of each kind. Resolves to the failures that concern single rows; rejects when Redis belongs to
   * another installation, when Postgres is unavailable, and when `signal` is aborted.
   */
  async publishNext(signal: AbortSignal | undefined): Promise<unknown[]> {
    const failures: unknown[] = [];
    for (const kind of PUBLISHED_KINDS) failures.push(...(await this.#publishNextOf(kind, signal)));
    return failures;
  }

  /** Only rows that the previous check also found were left behind. */
  async #publishNextOf(kind: PublishedKind, signal: AbortSignal | undefined): Promise<unknown[]> {
    signal?.throwIfAborted();
    const { met, after } = this.#unpublished.get(kind) ?? { met: new Set(), after: "" };
    const waiting = await pageOfUnpublished(this.#parts.database, kind, after, 2 * PAGE_ROWS);
    const ids = waiting.filter((id) => met.has(id)).slice(0, PAGE_ROWS);
    const isLast = waiting.length < 2 * PAGE_ROWS;
    const next = ids.length === PAGE_ROWS ? ids.at(-1) : isLast ? "" : after;
    this.#unpublished.set(kind, { met: new Set(waiting), after: next ?? "" });
    const locked = await this.#stillLocked(kind, ids);
    if (ids.length === 0) return [];
    const free = ids.filter((id) => !locked.has(id));
    const failures = free.length === 0 ? [] : await this.#publish(kind, free, signal);
    return [...failures, ...locked.values()];
  }

  async #stillLocked(kind: PublishedKind, ids: readonly string[]): Promise<Map<string, LockTimeout>> {
    const known = this.#locked.get(kind);
    if (known === undefined || known.size === 0) return new Map();
    // Those of other pages, too: a row that its own request published is never met again.
    const locked = await lockedAmong(this.#parts.database, kind, [...known.keys()]);
    for (const id of known.keys()) if (!locked.has(id)) known.delete(id);
    return new Map([...known].filter(([id]) => ids.includes(id)));
  }

  /**
   * Publishes rows together, or one by one if that fails: one damaged wallet or locked row must not keep the others'
   * back.
   */
  async #publish(
    kind: PublishedKind,
    ids: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<unknown[]> {
    const { publishing, logger } = this.#parts;
    try {
      await publishing.publish(kind, ids, signal);
    } catch (error) {
      if (error instanceof ForeignRedis) throw error;
      if (error instanceof DatabaseUnavailable && !(error instanceof LockTimeout)) throw error;
      if (error instanceof WalletNotReady) {
        logger.debug({ err: error, kind }, "rows wait for their wallets");
        return error.cause === undefined ? [] : [error.cause];
      }
      const [only = "", ...others] = ids;
      if (others.length > 0 && !isRedisUnavailable(error)) return this.#publishEach(kind, ids, signal);
      if (error instanceof LockTimeout)
        this.#locked.set(kind, new Map(this.#locked.get(kind)).set(only, error));
      return [error];
    }
    this.#republished.inc({ kind }, ids.length);
    logger.info({ kind, rows: ids.length }, "unpublished rows published");
    return [];
  }

  async #publishEach(
    kind: PublishedKind,
    ids: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<unknown[]> {
    const failures: unknown[] = [];
    for (const some of chunks(ids, MAX_CONCURRENT_ROWS)) {
      signal?.throwIfAborted();
      const results = await Promise.all(some.map((id) => this.#publish(kind, [id], signal)));
      failures.push(...results.flat());
    }
    return failures;
  }
}
