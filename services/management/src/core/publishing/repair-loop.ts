import { setTimeout as sleep } from "node:timers/promises";
import { chunks } from "@diegetic/collections";
import {
  type Database,
  DatabaseUnavailable,
  DatabaseUnusable,
  LockTimeout,
  TransactionConflict,
} from "@diegetic/database";
import {
  ForeignRedis,
  type InstallationClaim,
  isRedisUnavailable,
  type SnapshotEntry,
  SnapshotLostError,
  type SnapshotPublisher,
  walletIds,
} from "@diegetic/hot-state";
import {
  createForeignRedisLog,
  type Logger,
  type Metrics,
  OutageLog,
  pauseAfterFailuresMs,
} from "@diegetic/service-kit";
import { MovedHashSlots } from "../wallet-recovery/moved-hash-slots.ts";
import type { WalletRecovery } from "../wallet-recovery/wallet-recovery.ts";
import {
  lockedAmong,
  PUBLISHED_KINDS,
  type PublishedKind,
  pageOfIds,
  pageOfRebuild,
} from "./published-rows.ts";
import { type Publishing, WalletNotReady } from "./publishing.ts";
import {
  compareServers,
  isSomeUnavailable,
  NOTICES,
  type RedisSeen,
  type ServersFound,
} from "./recovery-notice.ts";

/** Short, because a restarted or promoted server does not serve until this loop detects it. */
const EVERY_MS = 500;
const PAGE_ROWS = 100;
/** Of rows that are published one by one, because one of them fails. */
const MAX_CONCURRENT_ROWS = 8;
const REBUILD_PAGE_ROWS = 500;
/** Wallets checked per round, so that every wallet is checked regularly, whatever Redis lost. */
const WALLETS_PER_ROUND = 300;
/** Checks of a page of wallets before the round continues; the rest waits for the next rounds. */
const MAX_CHECKS = 3;

export interface RepairLoopParts {
  database: Database;
  publishing: Publishing;
  snapshot: SnapshotPublisher;
  recovery: Pick<WalletRecovery, "restoreFrozen">;
  claim: Pick<InstallationClaim, "check">;
  /** Records this process's PLAYER_HASH_KEY in the database, or logs that another is recorded. */
  recordPlayerHashKey: () => Promise<void>;
  /** Replication ids of Redis' servers, from `masterReplicationIds`. */
  replicationIds: () => Promise<string[]>;
  /** Owner of each hash slot, from `hashSlotOwners`. */
  owners: () => Promise<ReadonlyMap<number, string>>;
  logger: Logger;
  metrics: Metrics;
}

/**
 * Repairs what a crash, or an unavailable Redis, left behind. After a server was restarted, promoted or lost its data,
 * checks every wallet, restores frozen ones from Postgres, and publishes the snapshot again; after a cluster moved hash
 * slots, checks those wallets. Publishes committed rows that are unpublished. Any number of instances may run it
 * concurrently.
 */
export class RepairLoop {
  readonly #parts: RepairLoopParts;
  readonly #republished;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();
  #lastWallet = "";
  /**
   * Unpublished at the last check: most are just being published by the request that changed them. The next check
   * continues after a page of rows, because those of an unavailable node stay unpublished.
   */
  readonly #unpublished = new Map<PublishedKind, { met: ReadonlySet<string>; after: string }>();
  /** Rows that a round waited for in vain: later rounds leave them out until they are free. */
  readonly #locked = new Map<PublishedKind, Map<string, LockTimeout>>();
  /** Replication ids of servers with verified wallets. */
  #verifiedReplicationIds: readonly string[] = [];
  /** The last notice, so that a repeated verification is not logged again. */
  #lastNotice = "";
  /** Result of the last check. */
  #isSomeUnavailable = false;
  readonly #moved = new MovedHashSlots();
  readonly #redisOutage: OutageLog;
  readonly #foreignOutage: OutageLog;
  readonly #roundOutage: OutageLog;

  constructor(parts: RepairLoopParts) {
    this.#parts = parts;
    const { logger } = parts;
    this.#redisOutage = new OutageLog(logger, {
      failing: NOTICES.unavailable,
      recovered: NOTICES.recovered,
      notices: { failing: "unavailable", recovered: "recovered" },
    });
    this.#foreignOutage = createForeignRedisLog(logger);
    this.#roundOutage = new OutageLog(logger, {
      failing: "repair round failed",
      recovered: "repair round recovered",
    });
    this.#republished = parts.metrics.counter(
      "snapshot_republished_rows_total",
      "Rows that the repair loop had to publish",
      ["kind"],
    );
  }

  /**
   * Restores every wallet that needs it and publishes everything once, then runs a round every 500 ms. Waits for
   * unavailable stores. Rejects when Redis belongs to another installation, and when the database is unusable.
   */
  async start(): Promise<void> {
    const starting = this.#startOnceAvailable();
    this.#running = starting.catch(() => undefined);
    await starting;
    this.#schedule();
  }

  async #startOnceAvailable(): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        await this.#restoreAndPublish(signal);
        this.#roundOutage.succeeded();
        this.#redisOutage.succeeded();
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!mayRecover(error)) throw error;
        this.#logFailure(error);
        await sleep(pauseAfterFailuresMs(EVERY_MS, failures), undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #restoreAndPublish(signal: AbortSignal): Promise<void> {
    await this.#parts.claim.check();
    const replicationIds = await this.#parts.replicationIds();
    this.#moved.compare(await this.#parts.owners());
    await this.#restoreAllWallets(signal);
    await this.#rebuild(signal);
    // Last: a failure of an earlier step repeats all of them, and the warning must come once.
    await this.#parts.recordPlayerHashKey();
    this.#verifiedReplicationIds = compareServers([], { replicationIds, needsRebuild: false }).verified;
  }

  /** Stops the loop after its current transaction; never waits for wallets that another instance restores. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(): void {
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#running = this.round(signal)
        .catch((error: unknown) => {
          if (!signal.aborted) this.#logFailure(error);
        })
        .then(() => this.#schedule());
    }, EVERY_MS);
  }

  #logFailure(error: unknown): void {
    if (error instanceof ForeignRedis) {
      this.#foreignOutage.failed(error);
      return;
    }
    if (!isRedisUnavailable(error)) this.#roundOutage.failed(error);
    // The outage was already logged by the check.
    if (this.#isSomeUnavailable) return;
    if (isRedisUnavailable(error)) this.#redisOutage.failed(error);
    else this.#redisOutage.succeeded();
  }

  /** One round; public for tests. */
  async round(signal?: AbortSignal): Promise<void> {
    this.#isSomeUnavailable = false;
    await this.#parts.claim.check();
    this.#foreignOutage.succeeded();
    const seen = await this.#readServers();
    const { notice, verified } = compareServers(this.#verifiedReplicationIds, seen);
    if (notice !== undefined) {
      this.#logNotice(notice, seen);
      await this.#restoreAllWallets(signal);
      this.#verifiedReplicationIds = verified;
    }
    if (seen.needsRebuild) await this.#rebuild(signal);
    this.#lastNotice = "";
    await this.#restoreMoved(signal);
    const failures: unknown[] = [];
    for (const kind of PUBLISHED_KINDS) failures.push(...(await this.#republish(kind, signal)));
    await this.#restoreWallets(signal);
    if (failures.length > 0) throw failures[0];
    this.#roundOutage.succeeded();
    if (!this.#isSomeUnavailable) this.#redisOutage.succeeded();
  }

  async #readServers(): Promise<RedisSeen> {
    const replicationIds = await this.#parts.replicationIds();
    this.#isSomeUnavailable = isSomeUnavailable(replicationIds);
    if (this.#isSomeUnavailable) this.#redisOutage.failed();
    const needsRebuild = await this.#parts.snapshot.needsRebuild();
    // A server restarted between the two calls has lost nothing.
    return {
      replicationIds: needsRebuild ? await this.#parts.replicationIds() : replicationIds,
      needsRebuild,
    };
  }

  #logNotice(notice: NonNullable<ServersFound["notice"]>, { replicationIds }: RedisSeen): void {
    const noticeKey = [notice, ...replicationIds].join();
    if (noticeKey !== this.#lastNotice) this.#parts.logger.warn({ notice }, NOTICES[notice]);
    this.#lastNotice = noticeKey;
  }

  async #rebuild(signal: AbortSignal | undefined): Promise<void> {
    // Restoring wallets may have taken long, and a rebuild writes before its first page.
    await this.#parts.claim.check();
    const version = await this.#parts.snapshot.rebuild(this.#everything(signal));
    this.#parts.logger.info({ version }, "snapshot published");
  }

  async *#everything(signal: AbortSignal | undefined): AsyncGenerator<SnapshotEntry[]> {
    for (const kind of PUBLISHED_KINDS) {
      let after = "";
      for (;;) {
        const ids = await pageOfRebuild(this.#parts.database, kind, after, REBUILD_PAGE_ROWS);
        const last = ids.at(-1);
        if (last === undefined) break;
        const { entries, rows } = await this.#parts.publishing.prepareRebuild(kind, ids, signal);
        await this.#parts.claim.check();
        signal?.throwIfAborted();
        yield entries;
        await this.#parts.publishing.markPublished(kind, rows).catch((error: unknown) => {
          // Published once more by a later round.
          if (!(error instanceof LockTimeout)) throw error;
        });
        after = last;
      }
    }
  }

  /** Only rows that the previous round also found were left behind. Resolves to the failures. */
  async #republish(kind: PublishedKind, signal: AbortSignal | undefined): Promise<unknown[]> {
    signal?.throwIfAborted();
    const { met, after } = this.#unpublished.get(kind) ?? { met: new Set(), after: "" };
    const waiting = await pageOfIds(this.#parts.database, kind, after, 2 * PAGE_ROWS, "unpublished");
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

  async #restoreAllWallets(signal: AbortSignal | undefined): Promise<void> {
    this.#lastWallet = "";
    do {
      await this.#restoreWallets(signal);
    } while (this.#lastWallet !== "");
  }

  /** Checks the wallets on hash slots that a cluster has moved, until none is frozen. */
  async #restoreMoved(signal: AbortSignal | undefined): Promise<void> {
    const { owners, recovery, database, logger } = this.#parts;
    this.#moved.compare(await owners());
    if (this.#moved.size === 0) return;
    let left = 0;
    let after: string | undefined = "";
    while (after !== undefined) {
      signal?.throwIfAborted();
      const rows: { id: string; walletSlices: number }[] = await database.advertiser.findMany({
        where: { id: { gt: after } },
        orderBy: { id: "asc" },
        take: REBUILD_PAGE_ROWS,
        select: { id: true, walletSlices: true },
      });
      const moved = rows.filter(({ id, walletSlices }) =>
        walletIds(id, walletSlices).some((walletId) => this.#moved.has(walletId)),
      );
      left += await recovery.restoreFrozen(
        moved.map(({ id }) => id),
        signal,
      );
      after = rows.at(-1)?.id;
    }
    logger.info({ hashSlots: this.#moved.size, left }, "cluster moved hash slots");
    if (left === 0) this.#moved.clear();
  }

  /** Checks the next page of wallets. */
  async #restoreWallets(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const ids = await pageOfIds(this.#parts.database, "advertiser", this.#lastWallet, WALLETS_PER_ROUND);
    for (let check = 0; check < MAX_CHECKS; check++) {
      if ((await this.#parts.recovery.restoreFrozen(ids, signal)) === 0) break;
      signal?.throwIfAborted();
    }
    this.#lastWallet = ids.length < WALLETS_PER_ROUND ? "" : (ids.at(-1) ?? "");
  }
}

/** Whether waiting can help: a store is unavailable, or Redis lost data meanwhile. */
function mayRecover(error: unknown): boolean {
  if (error instanceof ForeignRedis || error instanceof DatabaseUnusable) return false;
  return (
    error instanceof DatabaseUnavailable ||
    error instanceof TransactionConflict ||
    error instanceof SnapshotLostError ||
    isRedisUnavailable(error)
  );
}
