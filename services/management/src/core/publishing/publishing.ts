import { STORED_SENTENCE } from "@diegetic/contracts";
import {
  DatabaseUnavailable,
  LockTimeout,
  type Statements,
  safeInteger,
  TransactionConflict,
  utcDay,
} from "@diegetic/database";
import {
  type CampaignState,
  type InstallationClaim,
  isRedisUnavailable,
  type MoneyCommands,
  NotPropagatedError,
  type SnapshotEntry,
  SnapshotLostError,
  type SnapshotPublisher,
} from "@diegetic/hot-state";
import { centsToMillicents } from "@diegetic/money";
import { type Logger, OutageLog, unavailable } from "@diegetic/service-kit";
import type { WholeCampaign } from "../campaign-rows/statements.ts";
import type { WalletRecovery } from "../wallet-recovery/wallet-recovery.ts";
import { advertiserEntry, campaignEntry } from "./entities.ts";
import { type GroupOutcome, PublicationGroups } from "./publication-groups.ts";
import {
  lockCampaigns,
  markLockedPublished,
  markPublished,
  PUBLISHED,
  type PublishedKind,
  type PublishedStores,
  spentOnDay,
} from "./published-rows.ts";

/** More than twice the lease of a match instance, so that a crashed one is waited for. */
const PROPAGATION_TIMEOUT_MS = 5_000;
/** How long publishing waits for a row that another transaction has locked. */
const MAX_LOCK_WAIT_MS = 3_000;
/** Maximum attempts to write a row into Redis. Each retry follows a restore that left nothing frozen. */
const MAX_APPLY_ATTEMPTS = 5;

export type WalletCommands = Pick<MoneyCommands, "applyAccount" | "applyCampaign">;

interface Prepared {
  entries: SnapshotEntry[];
  rows: { id: string; version: number }[];
  /** Rows that Redis has not accepted: publishable, but not counted as published. */
  pending: SnapshotEntry[];
  /** Why Redis was unavailable for some of them. */
  unavailableCause?: unknown;
}

/** A row, and whether its wallet is at least as new. */
interface AppliedRow {
  row: { id: string; version: number };
  entry: SnapshotEntry;
  advertiserId: string;
  isApplied: boolean;
  /** Why Redis was unavailable; undefined: it was not. */
  unavailableCause?: unknown;
}

/**
 * An advertiser's wallet is frozen and could not be restored in time, or unavailable, which is the cause then: changes of
 * its rows are not in force yet.
 */
export class WalletNotReady extends Error {
  override name = "WalletNotReady";
}

export interface PublishingParts extends PublishedStores {
  wallets: WalletCommands;
  recovery: Pick<WalletRecovery, "restoreFrozen">;
  snapshot: SnapshotPublisher;
  claim: Pick<InstallationClaim, "check">;
  nowMs: () => number;
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
      return await this.#whileLocked(ids, { skipLocked: true }, async (statements, campaigns) => {
        const claimed = this.#parts.claim.check();
        claimed.catch(() => undefined);
        const { applied, outcomes } = await this.#applyTogether(statements, campaigns);
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

  /** Applies locked campaigns once. */
  async #applyTogether(
    statements: Statements,
    campaigns: readonly WholeCampaign[],
  ): Promise<{ applied: AppliedRow[]; outcomes: Map<string, GroupOutcome> }> {
    const settled = await Promise.allSettled(
      campaigns.map((campaign) => this.#applyCampaign(statements, campaign)),
    );
    const applied: AppliedRow[] = [];
    const outcomes = new Map<string, GroupOutcome>();
    for (const [index, { id }] of campaigns.entries()) {
      const one = settled[index];
      if (one?.status === "rejected" && isStoreUnavailable(one.reason))
        outcomes.set(id, { error: one.reason });
      if (one?.status !== "fulfilled") continue;
      if (one.value.isApplied) applied.push(one.value);
      else if (one.value.unavailableCause !== undefined)
        outcomes.set(id, { error: one.value.unavailableCause });
    }
    return { applied, outcomes };
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
    if (kind === "advertiser")
      return this.#applyUntilKnown(ids, (some) => this.#applyAdvertisers(some), signal);
    if (kind === "campaign") return this.#applyUntilKnown(ids, (some) => this.#applyCampaigns(some), signal);
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

  /**
   * Applies rows, restores frozen wallets and applies the rows again. A restore that read the rows before a change ends
   * with the older version, and so does a restore by another instance, so only Redis' answer proves that it has the
   * newer one. A row of an unavailable wallet is pending at once.
   * @param apply reads the current rows of these ids and sends them to Redis
   */
  async #applyUntilKnown(
    ids: readonly string[],
    apply: (ids: readonly string[]) => Promise<AppliedRow[]>,
    signal: AbortSignal | undefined,
  ): Promise<Prepared> {
    const known = new Map<string, AppliedRow>();
    let left = ids;
    for (let attempt = 1; ; attempt += 1) {
      for (const one of await apply(left)) known.set(one.row.id, one);
      const frozen = [...known.values()].filter(
        (one) => !one.isApplied && one.unavailableCause === undefined,
      );
      if (frozen.length === 0 || attempt === MAX_APPLY_ATTEMPTS) break;
      const advertiserIds = [...new Set(frozen.map(({ advertiserId }) => advertiserId))];
      // A wallet that could not be restored in time waits for the next round; the others may have been restored.
      if ((await this.#parts.recovery.restoreFrozen(advertiserIds, signal)) > 0)
        attempt = MAX_APPLY_ATTEMPTS - 1;
      left = frozen.map(({ row }) => row.id);
    }
    const all = [...known.values()];
    const applied = all.filter(({ isApplied }) => isApplied);
    return {
      entries: applied.map(({ entry }) => entry),
      rows: applied.map(({ row }) => row),
      pending: all.filter(({ isApplied }) => !isApplied).map(({ entry }) => entry),
      unavailableCause: all.find((one) => one.unavailableCause !== undefined)?.unavailableCause,
    };
  }

  async #applyAdvertisers(ids: readonly string[]): Promise<AppliedRow[]> {
    const rows = await this.#parts.database.advertiser.findMany({ where: { id: { in: [...ids] } } });
    return Promise.all(
      rows.map((row) =>
        appliedRow({ row, entry: advertiserEntry(row), advertiserId: row.id }, async () => {
          const result = await this.#parts.wallets.applyAccount({
            advertiserId: row.id,
            version: row.version,
            depositedMillicents: safeInteger(row.depositedMillicents, "deposited"),
            slices: row.walletSlices,
          });
          return result !== "unknown_wallet";
        }),
      ),
    );
  }

  /**
   * A campaign is only written while its row is locked: a budget reduction in progress has its ceiling in the wallet,
   * which a version read earlier must not remove. The write is an effect outside the transaction, but idempotent: the
   * row is only read here, and the same version again changes nothing.
   */
  #applyCampaigns(ids: readonly string[]): Promise<AppliedRow[]> {
    return this.#whileLocked(ids, { skipLocked: false }, (statements, campaigns) =>
      Promise.all(campaigns.map((campaign) => this.#applyCampaign(statements, campaign))),
    );
  }

  #whileLocked<T>(
    ids: readonly string[],
    options: { skipLocked: boolean },
    work: (statements: Statements, campaigns: WholeCampaign[]) => Promise<T>,
  ): Promise<T> {
    return this.#parts.pipeline.inTransaction(
      async (statements) => work(statements, await lockCampaigns(statements, ids, options)),
      // Commits locks and published versions only.
      { asynchronousCommit: true, lockTimeoutMs: this.#maxLockWaitMs },
    );
  }

  /** @param statements of the transaction that locks the campaign */
  #applyCampaign(statements: Statements, campaign: WholeCampaign): Promise<AppliedRow> {
    const { id, advertiserId, spentMillicents, impressions } = campaign;
    const day = utcDay(this.#parts.nowMs());
    const apply = (seed: CampaignState["seed"]) =>
      this.#parts.wallets.applyCampaign({
        advertiserId,
        campaignId: id,
        version: campaign.version,
        status: campaign.status,
        budgetMillicents: centsToMillicents(campaign.budgetCents),
        dailyCapMillicents:
          campaign.dailyCapCents === null ? null : centsToMillicents(campaign.dailyCapCents),
        seed,
      });
    const nothingSpent = { spentMillicents, impressions, day, daySpentMillicents: 0 };
    return appliedRow({ row: campaign, entry: campaignEntry(campaign), advertiserId }, async () => {
      let result = await apply(spentMillicents === 0 ? nothingSpent : null);
      if (result === "unknown_campaign") {
        result = await apply({ ...nothingSpent, daySpentMillicents: await spentOnDay(statements, id, day) });
      }
      return result === "applied" || result === "older";
    });
  }
}

/** One advertiser's node may be unavailable while others work. */
async function appliedRow(
  of: Pick<AppliedRow, "row" | "entry" | "advertiserId">,
  apply: () => Promise<boolean>,
): Promise<AppliedRow> {
  try {
    return { ...of, isApplied: await apply() };
  } catch (error) {
    if (!isRedisUnavailable(error)) throw error;
    return { ...of, isApplied: false, unavailableCause: error };
  }
}

function isStoreUnavailable(error: unknown): boolean {
  return error instanceof DatabaseUnavailable || isRedisUnavailable(error);
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
