import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseUnavailable, DatabaseUnusable, LockTimeout, TransactionConflict } from "@diegetic/database";
import {
  ForeignRedis,
  type InstallationClaim,
  isRedisUnavailable,
  RedisUnusable,
  type SnapshotEntry,
  SnapshotLostError,
  type SnapshotPublisher,
} from "@diegetic/hot-state";
import { createForeignRedisLog, type Metrics, OutageLog, pauseAfterFailuresMs } from "@diegetic/service-kit";
import { WalletChecks, type WalletChecksParts } from "../wallet-recovery/wallet-checks.ts";
import { PUBLISHED_KINDS, pageOfRebuild } from "./published-rows.ts";
import type { Publishing } from "./publishing.ts";
import {
  compareServers,
  isSomeUnavailable,
  NOTICES,
  type RedisSeen,
  type ServersFound,
} from "./recovery-notice.ts";
import { UnpublishedRows } from "./unpublished-rows.ts";

/** Short, because a restarted or promoted server does not serve until this loop detects it. */
const EVERY_MS = 500;
const REBUILD_PAGE_ROWS = 500;

export interface RepairLoopParts extends WalletChecksParts {
  publishing: Publishing;
  snapshot: SnapshotPublisher;
  claim: Pick<InstallationClaim, "check">;
  /** Records this process's PLAYER_HASH_KEY in the database, or logs that another is recorded. */
  recordPlayerHashKey: () => Promise<void>;
  /** Replication ids of Redis' servers, from `masterReplicationIds`. */
  replicationIds: () => Promise<string[]>;
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
  readonly #walletChecks: WalletChecks;
  readonly #unpublished: UnpublishedRows;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();
  /** Replication ids of servers with verified wallets. */
  #verifiedReplicationIds: readonly string[] = [];
  /** The last notice, so that a repeated verification is not logged again. */
  #lastNotice = "";
  /** Result of the last check. */
  #isSomeUnavailable = false;
  readonly #redisOutage: OutageLog;
  readonly #foreignOutage: OutageLog;
  readonly #roundOutage: OutageLog;

  constructor(parts: RepairLoopParts) {
    this.#parts = parts;
    this.#walletChecks = new WalletChecks(parts);
    this.#unpublished = new UnpublishedRows(parts);
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
  }

  /**
   * Restores every wallet that needs it and publishes everything once, then runs a round every 500 ms. Waits for
   * unavailable stores. Rejects when Redis or the database is unusable.
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
    await this.#walletChecks.noteOwners();
    await this.#walletChecks.checkAll(signal);
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
      await this.#walletChecks.checkAll(signal);
      this.#verifiedReplicationIds = verified;
    }
    if (seen.needsRebuild) await this.#rebuild(signal);
    this.#lastNotice = "";
    await this.#walletChecks.checkMoved(signal);
    const failures = await this.#unpublished.publishNext(signal);
    await this.#walletChecks.checkNext(signal);
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
}

/** Whether waiting can help: a store is unavailable, or Redis lost data meanwhile. */
function mayRecover(error: unknown): boolean {
  if (error instanceof RedisUnusable || error instanceof DatabaseUnusable) return false;
  return (
    error instanceof DatabaseUnavailable ||
    error instanceof TransactionConflict ||
    error instanceof SnapshotLostError ||
    isRedisUnavailable(error)
  );
}
