import type { Database } from "@diegetic/database";
import {
  ForeignRedis,
  type InstallationClaim,
  isRedisUnavailable,
  type SnapshotEntry,
  SnapshotLostError,
  type SnapshotPublisher,
} from "@diegetic/hot-state";
import { createForeignRedisLog, type Logger, type Metrics, OutageLogger } from "@diegetic/service-kit";
import { MovedHashSlots } from "../wallet-recovery/moved-hash-slots.ts";
import type { WalletRecovery } from "../wallet-recovery/wallet-recovery.ts";
import { PUBLISHED_KINDS, type PublishedKind, page, unpublished } from "./load.ts";
import { type Publishing, StateNotRestored } from "./publishing.ts";
import {
  compareServers,
  isSomeUnavailable,
  NOTICES,
  type RedisSeen,
  type ServersFound,
} from "./recovery-notice.ts";

/** Short, because nothing is served from a server that was restarted or promoted until it has been noticed here. */
const EVERY_MS = 500;
const PAGE_ROWS = 100;
const REBUILD_PAGE_ROWS = 500;
/** Wallets looked at in one round: each advertiser's turn comes round, whatever Redis has lost. */
const WALLETS_PER_ROUND = 300;
/** Looks at a page of wallets before the round goes on; the rest has its turn in the next rounds. */
const LOOKS = 3;
const START_ATTEMPTS = 10;

export interface ReconcilerParts {
  database: Database;
  publishing: Publishing;
  snapshot: SnapshotPublisher;
  recovery: Pick<WalletRecovery, "restoreFrozen">;
  claim: Pick<InstallationClaim, "check">;
  /** The servers that Redis consists of, as `masterReplicationIds` tells them. */
  replicationIds: () => Promise<string[]>;
  /** Which node owns which hash slot, as `hashSlotOwners` tells. */
  owners: () => Promise<ReadonlyMap<number, string>>;
  /** Runs once a round: other upkeep that needs no exactness in time. */
  upkeep: () => Promise<void>;
  logger: Logger;
  metrics: Metrics;
}

/**
 * The loop that mends what a crash, or an absent Redis, left behind:
 * when a server of Redis has been restarted or promoted, or has lost its data, every wallet is looked at and the frozen ones
 * are restored from Postgres, then the snapshot is published anew; when a cluster has moved hash slots, those are; rows that were committed but not published are published. Any number of instances may run it at once.
 */
export class Reconciler {
  readonly #parts: ReconcilerParts;
  readonly #republished;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;
  #lastWallet = "";
  /** Unpublished when they were last looked for: most are being published by the request that has changed them. */
  readonly #unpublished = new Map<PublishedKind, ReadonlySet<string>>();
  /** Of the servers whose wallets are verified. */
  #verifiedReplicationIds: readonly string[] = [];
  /** What was told last, so that a verification that has to be repeated is not told again. */
  #told = "";
  /** At the last look. */
  #isSomeUnavailable = false;
  readonly #moved = new MovedHashSlots();
  readonly #redisOutage: OutageLogger<unknown>;
  readonly #foreignOutage: OutageLogger<unknown>;
  readonly #roundOutage: OutageLogger<unknown>;

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
    const { logger } = parts;
    this.#redisOutage = new OutageLogger({
      unavailable: (facts, error) =>
        logger.warn({ notice: "unavailable", err: error, ...facts }, NOTICES.unavailable),
      recovered: (facts) => logger.info({ notice: "recovered", ...facts }, NOTICES.recovered),
    });
    this.#foreignOutage = createForeignRedisLog(logger);
    this.#roundOutage = new OutageLogger({
      unavailable: (facts, error) => logger.warn({ err: error, ...facts }, "reconciliation failed"),
      recovered: (facts) => logger.info(facts, "reconciliation recovered"),
    });
    this.#republished = parts.metrics.counter(
      "snapshot_republished_rows_total",
      "Rows that the reconciling loop had to publish",
      ["kind"],
    );
  }

  /**
   * Restores every wallet that needs it and publishes everything once, then runs a round every 500 ms. Rejects when that
   * fails, and when redis belongs to another installation.
   */
  async start(): Promise<void> {
    await this.#parts.claim.check();
    const replicationIds = await this.#parts.replicationIds();
    this.#moved.look(await this.#parts.owners());
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#restoreAllWallets();
        await this.#rebuild();
        break;
      } catch (error) {
        // What Redis has lost meanwhile is begun again.
        if (!(error instanceof SnapshotLostError) || attempt === START_ATTEMPTS) throw error;
      }
    }
    this.#verifiedReplicationIds = compareServers([], { replicationIds, needsRebuild: false }).verified;
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
        .catch((error: unknown) => {
          if (error instanceof ForeignRedis) return this.#foreignOutage.failed(error);
          if (!isRedisUnavailable(error)) this.#roundOutage.failed(error);
          // That a server did not answer at the look is told already.
          if (this.#isSomeUnavailable) return;
          if (isRedisUnavailable(error)) this.#redisOutage.failed(error);
          else this.#redisOutage.succeeded();
        })
        .then(() => this.#schedule());
    }, EVERY_MS);
  }

  /** One round of everything; for tests, too. */
  async round(): Promise<void> {
    this.#isSomeUnavailable = false;
    await this.#parts.claim.check();
    this.#foreignOutage.succeeded();
    const seen = await this.#look();
    const { notice, verified } = compareServers(this.#verifiedReplicationIds, seen);
    if (notice !== undefined) {
      this.#tell(notice, seen);
      await this.#restoreAllWallets();
      this.#verifiedReplicationIds = verified;
    }
    if (seen.needsRebuild) await this.#rebuild();
    this.#told = "";
    await this.#restoreMoved();
    for (const kind of PUBLISHED_KINDS) await this.#republish(kind);
    await this.#restoreWallets();
    await this.#parts.upkeep();
    this.#roundOutage.succeeded();
    if (!this.#isSomeUnavailable) this.#redisOutage.succeeded();
  }

  async #look(): Promise<RedisSeen> {
    const replicationIds = await this.#parts.replicationIds();
    this.#isSomeUnavailable = isSomeUnavailable(replicationIds);
    if (this.#isSomeUnavailable) this.#redisOutage.failed(undefined);
    const needsRebuild = await this.#parts.snapshot.needsRebuild();
    // A server that was restarted between the two questions has lost nothing.
    return {
      replicationIds: needsRebuild ? await this.#parts.replicationIds() : replicationIds,
      needsRebuild,
    };
  }

  #tell(notice: NonNullable<ServersFound["notice"]>, { replicationIds }: RedisSeen): void {
    const told = [notice, ...replicationIds].join();
    if (told !== this.#told) this.#parts.logger.warn({ notice }, NOTICES[notice]);
    this.#told = told;
  }

  async #rebuild(): Promise<void> {
    // Restoring wallets may have taken long, and a rebuild writes before its first page.
    await this.#parts.claim.check();
    const version = await this.#parts.snapshot.rebuild(this.#everything());
    this.#parts.logger.info({ version }, "snapshot published");
  }

  async *#everything(): AsyncGenerator<SnapshotEntry[]> {
    for (const kind of PUBLISHED_KINDS) {
      let after = "";
      for (;;) {
        const ids = await page(this.#parts.database, kind, after, REBUILD_PAGE_ROWS);
        const last = ids.at(-1);
        if (last === undefined) break;
        const { entries, rows } = await this.#parts.publishing.recall(kind, ids);
        await this.#parts.claim.check();
        yield entries;
        await this.#parts.publishing.markPublished(kind, rows);
        after = last;
      }
    }
  }

  /** Only what a round before has met, too, was left behind. */
  async #republish(kind: PublishedKind): Promise<void> {
    const met = this.#unpublished.get(kind);
    const waiting = await unpublished(this.#parts.database, kind, 2 * PAGE_ROWS);
    this.#unpublished.set(kind, new Set(waiting));
    const ids = waiting.filter((id) => met?.has(id)).slice(0, PAGE_ROWS);
    if (ids.length === 0) return;
    try {
      await this.#parts.publishing.publish(kind, ids);
    } catch (error) {
      if (!(error instanceof StateNotRestored)) throw error;
      // The state of one advertiser must not keep the round from the others.
      this.#parts.logger.debug({ err: error, kind }, "rows wait for a restore");
      return;
    }
    this.#republished.inc({ kind }, ids.length);
    this.#parts.logger.info({ kind, rows: ids.length }, "unpublished rows published");
  }

  async #restoreAllWallets(): Promise<void> {
    this.#lastWallet = "";
    do await this.#restoreWallets();
    while (this.#lastWallet !== "");
  }

  /** Looks at the wallets of those who live on hash slots that a cluster has given to another node, until none is frozen. */
  async #restoreMoved(): Promise<void> {
    const { owners, recovery, database, logger } = this.#parts;
    this.#moved.look(await owners());
    if (this.#moved.size === 0) return;
    let left = 0;
    let after: string | undefined = "";
    while (after !== undefined) {
      const ids = await page(database, "advertiser", after, REBUILD_PAGE_ROWS);
      left += await recovery.restoreFrozen(ids.filter((id) => this.#moved.has(id)));
      after = ids.at(-1);
    }
    logger.info({ hashSlots: this.#moved.size, left }, "cluster moved hash slots");
    if (left === 0) this.#moved.clear();
  }

  /** Looks at the next page of wallets. */
  async #restoreWallets(): Promise<void> {
    const ids = await page(this.#parts.database, "advertiser", this.#lastWallet, WALLETS_PER_ROUND);
    for (let look = 0; look < LOOKS; look++) {
      if ((await this.#parts.recovery.restoreFrozen(ids)) === 0) break;
    }
    this.#lastWallet = ids.length < WALLETS_PER_ROUND ? "" : (ids.at(-1) ?? "");
  }
}
