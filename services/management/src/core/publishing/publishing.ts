import { STORED_SENTENCE } from "@diegetic/contracts";
import { DatabaseUnavailable, LockTimeout, TransactionConflict } from "@diegetic/database";
import {
  type InstallationClaim,
  isRedisUnavailable,
  NotPropagatedError,
  SnapshotLostError,
  type SnapshotPublisher,
} from "@diegetic/hot-state";
import { type Logger, OutageLog, unavailable } from "@diegetic/service-kit";
import { type GroupOutcome, PublicationGroups } from "./publication-groups.ts";
import { markLockedPublished, markPublished, PUBLISHED, type PublishedKind } from "./published-rows.ts";
import {
  isStoreUnavailable,
  type Prepared,
  WalletUpdates,
  type WalletUpdatesParts,
} from "./wallet-updates.ts";

/** More than twice the lease of a match instance, so that a crashed one is waited for. */
const PROPAGATION_TIMEOUT_MS = 5_000;
/** How long publishing waits for a row that another transaction has locked. */
const MAX_LOCK_WAIT_MS = 3_000;

/**
 * An advertiser's wallet is frozen and could not be restored in time, or unavailable, which is the cause then: changes of
 * its rows are not in force yet.
 */
export class WalletNotReady extends Error {
  override name = "WalletNotReady";
}

export interface PublishingParts extends WalletUpdatesParts {
  snapshot: SnapshotPublisher;
  claim: Pick<InstallationClaim, "check">;
  logger: Logger;
  /** Called with the time from a change's commit until every match instance applied it. */
  observeSeconds?: (seconds: number) => void;
  /** How long a change waits for match instances. Default: more than two leases. */
  propagationTimeoutMs?: number | undefined;
  /** How long publishing waits for a row that another transaction has locked. Default: MAX_LOCK_WAIT_MS. */
  maxLockWaitMs?: number | undefined;
  /** When a group of changes no longer delays the next one. Default: 100. */
  groupStalledAfterMs?: number;
}

/**
 * Brings rows of Postgres into wallets and the snapshot. Always reads the current row, so concurrent requests converge
 * in any order; publishing is idempotent.
 */
export class Publishing {
  readonly #parts: PublishingParts;
  readonly #propagationTimeoutMs: number;
  readonly #maxLockWaitMs: number;
  readonly #updates: WalletUpdates;
  readonly #groups: PublicationGroups;
  readonly #outage: OutageLog;

  constructor(parts: PublishingParts) {
    this.#parts = parts;
    this.#outage = new OutageLog(parts.logger, {
      failing: "change propagation delayed",
      recovered: "change propagation recovered",
      countField: "changes",
    });
    this.#groups = new PublicationGroups((ids) => this.#publishTogether(ids), parts.groupStalledAfterMs);
    this.#propagationTimeoutMs = parts.propagationTimeoutMs ?? PROPAGATION_TIMEOUT_MS;
    this.#maxLockWaitMs = parts.maxLockWaitMs ?? MAX_LOCK_WAIT_MS;
    this.#updates = new WalletUpdates(parts, this.#maxLockWaitMs);
  }

  /**
   * Publishes a committed restriction (pause, disable, revoke, delete, any PATCH) of rows before its answer: resolves
   * when every match instance applies it. Throws 503 if that is impossible now, because the answer would promise that
   * nothing contrary is served; the repair loop then publishes later.
   */
  async publishAndWait(kind: PublishedKind, ...ids: string[]): Promise<void> {
    try {
      if (ids.length > 0) await this.#publishAndWait(kind, ids);
    } catch (error) {
      if (isTransient(error)) throw unavailable(STORED_SENTENCE, 2);
      throw error;
    }
  }

  /**
   * `publishAndWait` for additions, which may come into force later. Never throws: a committed change is answered as
   * done, because a client that retried would do it twice.
   */
  async publishEventually(kind: PublishedKind, id: string): Promise<void> {
    try {
      await this.#publishAndWait(kind, [id]);
    } catch (error) {
      if (isTransient(error)) this.#outage.failed(error, { kind, id });
      else this.#parts.logger.error({ err: error, kind, id }, "publishing a stored change failed");
    }
  }

  async #publishAndWait(kind: PublishedKind, ids: readonly string[]): Promise<void> {
    const startedMs = performance.now();
    if (kind === "campaign") await Promise.all(ids.map((id) => this.#publishInGroup(id)));
    else await this.#publishInForce(kind, ids);
    this.#outage.succeeded();
    this.#parts.observeSeconds?.((performance.now() - startedMs) / 1_000);
  }

  async #publishInGroup(campaignId: string): Promise<void> {
    const outcome = await this.#groups.add(campaignId);
    if (outcome === undefined) await this.#publishInForce("campaign", [campaignId]);
    else if ("error" in outcome) throw outcome.error;
    else await outcome.inForce;
  }

  async #publishInForce(kind: PublishedKind, ids: readonly string[]): Promise<void> {
    const version = await this.publish(kind, ids);
    await this.#parts.snapshot.awaitPropagation(version, this.#propagationTimeoutMs);
  }

  /**
   * Publishes campaigns together. Omits from the result, and does not publish, those that are locked by another
   * transaction, that a frozen wallet has not accepted, and that failed individually. Never waits for a single
   * advertiser.
   */
  async #publishTogether(ids: readonly string[]): Promise<Map<string, GroupOutcome>> {
    try {
      return await this.#updates.whileLocked(ids, { skipLocked: true }, async (statements, campaigns) => {
        const claimed = this.#parts.claim.check();
        claimed.catch(() => undefined);
        const { applied, outcomes } = await this.#updates.applyTogether(statements, campaigns);
        if (applied.length === 0) return outcomes;
        await claimed;
        const version = await this.#parts.snapshot.publish(applied.map(({ entry }) => entry));
        const marked = markLockedPublished(
          statements,
          applied.map(({ row }) => row),
        );
        // The next group does not wait for these.
        const inForce = Promise.all([
          marked,
          this.#parts.snapshot.awaitPropagation(version, this.#propagationTimeoutMs),
        ]).then(() => undefined);
        inForce.catch(() => undefined);
        for (const { row } of applied) outcomes.set(row.id, { inForce });
        return outcomes;
      });
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error;
      return new Map(ids.map((id) => [id, { error }]));
    }
  }

  /**
   * Publishes a page of rows and records their versions. Returns the version of the snapshot. Throws ForeignRedis when
   * Redis belongs to another installation, WalletNotReady when Redis did not accept some rows, the others being
   * published then, and Redis' error when it accepted none and was unavailable for some.
   */
  async publish(kind: PublishedKind, ids: readonly string[], signal?: AbortSignal): Promise<number> {
    const { entries, rows, pending, unavailableCause } = await this.prepare(kind, ids, signal);
    if (entries.length === 0 && unavailableCause !== undefined) throw unavailableCause;
    await this.#parts.claim.check();
    const version = await this.#parts.snapshot.publish(entries);
    await this.markPublished(kind, rows);
    if (pending.length > 0) {
      throw new WalletNotReady(
        `${pending.length} of ${ids.length} rows wait for a wallet that is frozen or unavailable`,
        { cause: unavailableCause },
      );
    }
    return version;
  }

  /** Records the versions of rows that Redis and the snapshot have. */
  markPublished(kind: PublishedKind, rows: readonly { id: string; version: number }[]): Promise<void> {
    return markPublished(this.#parts.pipeline, kind, rows, this.#maxLockWaitMs);
  }

  /**
   * Applies rows to the wallets of their advertisers until those have them, or `signal` is aborted, and returns the
   * snapshot entries.
   */
  async prepare(kind: PublishedKind, ids: readonly string[], signal?: AbortSignal): Promise<Prepared> {
    if (kind === "advertiser" || kind === "campaign") return this.#updates.apply(kind, ids, signal);
    const rows = await PUBLISHED[kind].load(this.#parts, ids);
    return { entries: rows.map(({ entry }) => entry), rows, pending: [] };
  }

  /**
   * The snapshot entries of rows for a lost snapshot: the wallets have what was published before; unpublished rows are
   * prepared as usual. The snapshot may have a row that Redis has not accepted: `reserve` refuses it until then. So one
   * advertiser's wallet or locked row, or one node, does not keep the snapshot from everybody: the loop publishes its rows
   * later.
   */
  async prepareRebuild(kind: PublishedKind, ids: readonly string[], signal?: AbortSignal): Promise<Prepared> {
    const known = await PUBLISHED[kind].load(this.#parts, ids);
    const left = known.filter((row) => row.publishedVersion < row.version);
    const unchanged = known.filter((row) => row.publishedVersion >= row.version).map(({ entry }) => entry);
    try {
      const { entries, rows, pending } = await this.prepare(
        kind,
        left.map(({ id }) => id),
        signal,
      );
      return { entries: [...unchanged, ...entries, ...pending], rows, pending };
    } catch (error) {
      if (error instanceof DatabaseUnavailable && !(error instanceof LockTimeout)) throw error;
      this.#parts.logger.debug({ err: error, kind }, "rows wait for their wallets");
      const pending = left.map(({ entry }) => entry);
      return { entries: [...unchanged, ...pending], rows: [], pending };
    }
  }
}

/** Whether publishing failed for a transient reason: the repair loop will succeed. */
function isTransient(error: unknown): boolean {
  return (
    error instanceof NotPropagatedError ||
    error instanceof WalletNotReady ||
    error instanceof SnapshotLostError ||
    error instanceof DatabaseUnavailable ||
    error instanceof TransactionConflict ||
    isRedisUnavailable(error)
  );
}
