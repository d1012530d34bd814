import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Database, StatementTimeout, utcDay } from "@diegetic/database";
import {
  type DueIndex,
  type InstallationClaim,
  isRedisUnavailable,
  type MoneyCommands,
  walletIds,
} from "@diegetic/hot-state";
import type { Logger, Metrics } from "@diegetic/service-kit";
import { type FoundWallet, freezeSlices, readOutboxes } from "./freeze.ts";
import { beginEpochs, markVerified, readWalletRows, type WalletRow } from "./load.ts";
import { type Outcome, type RestoreCommands, restoreWallet } from "./restore.ts";

/** Advertisers whose wallets are checked together. */
const BATCH = 100;
/** Maximum outbox records that one transaction looks for in Postgres, unless one advertiser has more. */
const MAX_RECORDS = 10_000;
const CLAIM_MS = 3_000;
/** Extensions within the duration of a claim. */
const CLAIM_EXTENSIONS = 3;
/** A wallet that another instance restores is checked for this much longer than a claim. */
const CHECKS_LONGER_MS = 200;
const CHECK_EVERY_MS = 40;

export interface WalletRecoveryParts {
  database: Database;
  wallets: RestoreCommands & Pick<MoneyCommands, "freezeUnlessLive" | "extendClaims" | "listOutbox">;
  due: Pick<DueIndex, "register">;
  claim: Pick<InstallationClaim, "check">;
  nowMs: () => number;
  logger: Logger;
  metrics: Metrics;
  /**
   * How long other instances leave a wallet to the one that has begun to restore it, unless that extends its claim. Default:
   * 3 s.
   */
  claimMs?: number | undefined;
}

/**
 * Restores wallets that may not serve: those that Redis lost, those on a restarted or promoted server, and those of
 * another epoch than Postgres'. Freezes each wallet, counts it from Postgres under a new epoch, and activates it by one
 * script, only if it is unchanged since. The slices of a wallet are frozen together, before the first of them serves again: the
 * new totals contain what each has spent. Any number of instances may run this concurrently: a claim ensures that each
 * wallet is frozen once. A failed restore is repeated; an epoch begun in Postgres says nothing about the wallet.
 */
export class WalletRecovery {
  readonly #parts: WalletRecoveryParts;
  readonly #claimMs: number;
  readonly #restored;
  readonly #name = randomUUID();
  /** Wallets that another call of this instance restores. */
  readonly #inWork = new Set<string>();

  constructor(parts: WalletRecoveryParts) {
    this.#parts = parts;
    this.#claimMs = parts.claimMs ?? CLAIM_MS;
    this.#restored = parts.metrics.counter(
      "wallets_restored_total",
      "Advertisers' wallets that serve; created: for the first time; forgotten: again, with their holds and matches void",
      ["matches"],
    );
    // Prometheus sees no increase in a series whose first value is an event.
    for (const matches of ["created", "kept", "forgotten"]) this.#restored.inc({ matches }, 0);
  }

  /**
   * Checks wallets and restores the frozen ones. Returns how many are still frozen and need another call. Changes
   * nothing until Redis is known to belong to this installation. Ends after the current transaction when `signal` is
   * aborted.
   */
  async restoreFrozen(advertiserIds: readonly string[], signal?: AbortSignal): Promise<number> {
    let left = 0;
    for (let start = 0; start < advertiserIds.length; start += BATCH) {
      if (signal?.aborted || !(await this.#mayRestore())) return left + advertiserIds.length - start;
      left += await this.#restoreBatch(advertiserIds.slice(start, start + BATCH), signal);
    }
    return left;
  }

  async #mayRestore(): Promise<boolean> {
    try {
      await this.#parts.claim.check();
      return true;
    } catch (error) {
      if (!isRedisUnavailable(error)) throw error;
      this.#parts.logger.debug({ err: error }, "wallets unavailable");
      return false;
    }
  }

  /** Restores frozen wallets, then waits for those that other instances restore, because the caller needs them to serve. */
  async #restoreBatch(advertiserIds: readonly string[], signal: AbortSignal | undefined): Promise<number> {
    let left = 0;
    let waiting: string[] = [...advertiserIds];
    const maxChecks = Math.ceil((this.#claimMs + CHECKS_LONGER_MS) / CHECK_EVERY_MS);
    for (let check = 0; check < maxChecks && waiting.length > 0 && !signal?.aborted; check++) {
      if (check > 0) await sleep(CHECK_EVERY_MS);
      const mine = waiting.filter((id) => !this.#inWork.has(id));
      for (const id of mine) this.#inWork.add(id);
      const claimed = new Set<string>();
      const extending = setInterval(() => this.#extendClaims(claimed), this.#claimMs / CLAIM_EXTENSIONS);
      try {
        const rows = await readWalletRows(this.#parts.database, mine);
        const seen = await this.#freeze(rows, { isSure: check > 0, claimed });
        left += seen.failed + (await this.#restoreFound(seen.found, signal));
        const isMine = new Set(mine);
        waiting = [...waiting.filter((id) => !isMine.has(id)), ...seen.withOthers];
      } finally {
        clearInterval(extending);
        for (const id of mine) this.#inWork.delete(id);
      }
    }
    return left + waiting.length;
  }

  /** Without a claim another instance may restore the same wallets: then one of the two takes effect. */
  #extendClaims(claimed: ReadonlySet<string>): void {
    const { wallets, logger } = this.#parts;
    wallets
      .extendClaims([...claimed], this.#claimMs)
      .catch((err: unknown) => logger.debug({ err }, "claims not extended"));
  }

  /** Freezes wallets that may not serve and that no other instance restores. `claimed` gets the ids of those that are frozen. */
  async #freeze(
    rows: ReadonlyMap<string, WalletRow>,
    { isSure, claimed }: { isSure: boolean; claimed: Set<string> },
  ): Promise<{ found: Map<string, FoundWallet>; withOthers: string[]; failed: number }> {
    const found = new Map<string, FoundWallet>();
    const withOthers: string[] = [];
    let failed = 0;
    const { wallets } = this.#parts;
    const claim = { by: this.#name, forMs: this.#claimMs };
    await Promise.all(
      [...rows].map(async ([id, row]) => {
        try {
          const slices = await freezeSlices(wallets, id, { row, claim, isSure });
          if (slices === "live") return;
          if (slices === "with others") {
            withOthers.push(id);
            return;
          }
          const ids = walletIds(id, row.slices);
          for (const walletId of ids) claimed.add(walletId);
          const outbox = await readOutboxes(wallets, ids);
          if (outbox !== null) {
            found.set(id, { slices, row, outbox });
            return;
          }
          await this.#announce(ids, { holds: false, outbox: true });
          failed += 1;
        } catch (error) {
          this.#logFailure(id, error);
          failed += 1;
        }
      }),
    );
    return { found, withOthers, failed };
  }

  /** Returns how many are still frozen. */
  async #restoreFound(
    found: ReadonlyMap<string, FoundWallet>,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    let left = 0;
    for (const group of transactionGroups(found)) left += await this.#restoreGroup(group, signal);
    return left;
  }

  /** Wallets that another transaction's locks keep from being restored keep no others from it. */
  async #restoreGroup(
    group: ReadonlyMap<string, FoundWallet>,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    if (signal?.aborted) return group.size;
    try {
      return await this.#restoreTogether(group);
    } catch (error) {
      if (!(error instanceof StatementTimeout)) throw error;
      if (group.size > 1) {
        let left = 0;
        for (const entry of group) left += await this.#restoreGroup(new Map([entry]), signal);
        return left;
      }
      for (const id of group.keys()) this.#logFailure(id, error);
      return group.size;
    }
  }

  /** Restores wallets of one day in one transaction. Returns how many are still frozen. */
  async #restoreTogether(found: ReadonlyMap<string, FoundWallet>): Promise<number> {
    const { database, wallets } = this.#parts;
    const [first] = found.values();
    if (first === undefined) return 0;
    const { day } = first.slices[0];
    const known = await beginEpochs(database, new Map([...found].map(([id, { row }]) => [id, row])), {
      day,
      outbox: [...found.values()].flatMap(({ outbox }) =>
        outbox.map((record) => ({
          impressionId: record.impression_id,
          day: utcDay(record.recorded_at_ms),
        })),
      ),
    });
    const restored = new Map<string, number>();
    const lateIds: string[] = [];
    const counts: Record<Outcome, number> = { created: 0, forgotten: 0, kept: 0 };
    await Promise.all(
      known.map(async (advertiser) => {
        const wallet = found.get(advertiser.id);
        if (wallet === undefined) return;
        try {
          const done = await restoreWallet(wallets, advertiser, wallet);
          if (done === null) return;
          this.#restored.inc({ matches: done.outcome });
          await this.#announce(walletIds(advertiser.id, advertiser.slices), {
            holds: done.hasHolds,
            outbox: wallet.outbox.length > 0,
          });
          restored.set(advertiser.id, advertiser.epoch);
          counts[done.outcome] += 1;
          lateIds.push(...done.lateIds);
        } catch (error) {
          this.#logFailure(advertiser.id, error);
        }
      }),
    );
    await markVerified(database, restored, lateIds);
    this.#log(counts);
    return found.size - restored.size;
  }

  /** One log line for each outcome; only one outcome is more than a normal start. */
  #log({ created, kept, forgotten }: Record<Outcome, number>): void {
    const { logger } = this.#parts;
    if (created > 0) logger.info({ wallets: created }, "wallets created");
    if (kept > 0) logger.info({ wallets: kept }, "wallets verified");
    if (forgotten > 0) {
      logger.warn({ wallets: forgotten }, "wallets rebuilt, their open matches are void");
    }
  }

  /** Tells billing what to look for: the due index may be gone, or on another node that lost data. */
  async #announce(ids: readonly string[], has: { holds: boolean; outbox: boolean }): Promise<void> {
    const { due, nowMs } = this.#parts;
    for (const walletId of ids) {
      if (has.holds) await due.register("holds", walletId, nowMs());
      if (has.outbox) await due.register("outbox", walletId, nowMs());
    }
  }

  #logFailure(advertiserId: string, error: unknown): void {
    const { logger } = this.#parts;
    if (isRedisUnavailable(error)) logger.debug({ advertiserId, err: error }, "wallet unavailable");
    else if (error instanceof StatementTimeout) {
      logger.warn({ advertiserId, err: error }, "wallet restore waits for locks");
    } else logger.error({ advertiserId, err: error }, "wallet restore failed");
  }
}

/**
 * Groups of wallets for one transaction each: of one day, by the clock of Redis, whose scripts count the day's spending
 * (midnight may pass while the nodes of a cluster are read), and with a limited number of records.
 */
function transactionGroups(found: ReadonlyMap<string, FoundWallet>): Map<string, FoundWallet>[] {
  const groups: Map<string, FoundWallet>[] = [];
  let records = 0;
  let day = "";
  for (const [id, one] of found) {
    records += one.outbox.length;
    if (groups.length === 0 || records > MAX_RECORDS || one.slices[0].day !== day) {
      groups.push(new Map());
      records = one.outbox.length;
      day = one.slices[0].day;
    }
    groups.at(-1)?.set(id, one);
  }
  return groups;
}
