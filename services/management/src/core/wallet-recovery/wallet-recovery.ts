import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { chunks } from "@diegetic/collections";
import type { ImpressionRecord } from "@diegetic/contracts";
import { type Database, StatementTimeout, utcDay } from "@diegetic/database";
import {
  type DueIndex,
  type FrozenWallet,
  type InstallationClaim,
  isRedisUnavailable,
  type MoneyCommands,
  walletIdOf,
  walletIds,
} from "@diegetic/hot-state";
import type { Logger, Metrics } from "@diegetic/service-kit";
import { beginEpochs, type KnownAdvertiser, markVerified, readWalletRows, type WalletRow } from "./load.ts";
import {
  type FoundSlice,
  isIntact,
  isTrustedEpoch,
  marksOf,
  missingLateIds,
  type Reserved,
  reservedInSlices,
  totalsOf,
  type WalletTotals,
} from "./totals.ts";

/** Advertisers whose wallets are checked together. */
const BATCH = 100;
/** Maximum outbox records that one transaction looks for in Postgres, unless one advertiser has more. */
const MAX_RECORDS = 10_000;
const OUTBOX_PAGE = 500;
/** More at once could take longer than a command may. */
const CAMPAIGNS_READ_TOGETHER = 500;
/** Even with the maximum of campaigns, this many scripts end within the time limit of a command. */
const SLICES_RESTORED_TOGETHER = 4;
/** Billing drains a longer outbox first; a frozen wallet does not prevent that. */
const MAX_OUTBOX_LENGTH = 10_000;
const CLAIM_MS = 3_000;
/** Extensions within the duration of a claim. */
const CLAIM_EXTENSIONS = 3;
/** A wallet that another instance restores is checked for this much longer than a claim. */
const CHECKS_LONGER_MS = 200;
const CHECK_EVERY_MS = 40;

export interface WalletRecoveryParts {
  database: Database;
  wallets: Pick<
    MoneyCommands,
    | "freezeUnlessLive"
    | "extendClaims"
    | "findSettledMarks"
    | "restoreWallet"
    | "restoreSlice"
    | "listOutbox"
    | "readOwnTotals"
  >;
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

interface Found {
  /** The wallet and its slices, the advertiser's own first. */
  slices: [FrozenWallet, ...FrozenWallet[]];
  /** From Postgres, when the wallet was checked. */
  row: WalletRow;
  /** Of all slices. */
  outbox: ImpressionRecord[];
}

/** What the slices of a wallet keep when it is restored. */
interface KeptSlices {
  found: readonly FoundSlice[];
  /** Whether the holds and matches of each slice stay valid. */
  keeps: readonly boolean[];
  /** In millicents. */
  reservedIn: Reserved;
}

/** `created`: there was no wallet; `forgotten`: its holds and matches are void; `kept`: they stay valid. */
type Outcome = "created" | "forgotten" | "kept";

interface Restored {
  epoch: number;
  outcome: Outcome;
  /** Late charges that the wallet did not have. */
  lateIds: string[];
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
  ): Promise<{ found: Map<string, Found>; withOthers: string[]; failed: number }> {
    const found = new Map<string, Found>();
    const withOthers: string[] = [];
    let failed = 0;
    await Promise.all(
      [...rows].map(async ([id, row]) => {
        try {
          const slices = await this.#freezeSlices(id, row, isSure);
          if (slices === "live") return;
          if (slices === "with others") {
            withOthers.push(id);
            return;
          }
          for (const walletId of walletIds(id, row.slices)) claimed.add(walletId);
          const outbox = await this.#readOutboxes(walletIds(id, row.slices));
          if (outbox === null) failed += 1;
          else found.set(id, { slices, row, outbox });
        } catch (error) {
          this.#logFailure(id, error);
          failed += 1;
        }
      }),
    );
    return { found, withOthers, failed };
  }

  /**
   * Freezes a wallet with all its slices if one of them may not serve. Of several instances the one goes on that has the claim of
   * the first that may not.
   */
  async #freezeSlices(
    advertiserId: string,
    { epoch, slices }: WalletRow,
    isSure: boolean,
  ): Promise<Found["slices"] | "live" | "with others"> {
    const claim = { by: this.#name, forMs: this.#claimMs };
    const freeze = (walletId: string, freezes?: "sure" | "always") =>
      this.#parts.wallets.freezeUnlessLive(walletId, epoch, { ...claim, freezes });
    const others = walletIds(advertiserId, slices).slice(1);
    let own = await freeze(advertiserId, isSure ? "sure" : undefined);
    if (own.state === "live") {
      const doubted = await firstDoubted(others, freeze);
      if (doubted === undefined) return "live";
      if (doubted.state !== "frozen") return "with others";
      own = await freeze(advertiserId, "always");
    }
    if (own.state !== "frozen") return "with others";
    const found = await Promise.all(others.map((walletId) => freeze(walletId, "always")));
    const frozen = found.filter((one) => one.state === "frozen");
    return frozen.length < others.length ? "with others" : [own, ...frozen];
  }

  /** Returns how many are still frozen. */
  async #restoreFound(found: ReadonlyMap<string, Found>, signal: AbortSignal | undefined): Promise<number> {
    let left = 0;
    for (const group of transactionGroups(found)) left += await this.#restoreGroup(group, signal);
    return left;
  }

  /** Wallets that another transaction's locks keep from being restored keep no others from it. */
  async #restoreGroup(group: ReadonlyMap<string, Found>, signal: AbortSignal | undefined): Promise<number> {
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
  async #restoreTogether(found: ReadonlyMap<string, Found>): Promise<number> {
    const { database } = this.#parts;
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
          const done = await this.#restore(advertiser, wallet, day);
          if (done === null) return;
          restored.set(advertiser.id, done.epoch);
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

  async #restore(
    known: KnownAdvertiser,
    { slices, row, outbox }: Found,
    day: string,
  ): Promise<Restored | null> {
    const totals = totalsOf(known, outbox, day);
    const found: FoundSlice[] = [];
    for (const [slice, wallet] of slices.entries()) {
      found.push(await this.#readSlice(known, totals, { wallet, slice }));
    }
    const [own] = slices;
    // A restore that ended early has counted what is in slices of another epoch, but compared nothing in them.
    const isOfEpoch = ({ epoch }: FrozenWallet) => epoch === own.epoch;
    const together = found.filter((one) => isOfEpoch(one.found));
    const isWhole = own.epoch !== "" && isIntact(together, { known, totals });
    const keeps = found.map((one) => (isWhole && isOfEpoch(one.found)) || hasLostNothing(one, known));
    const { depositedMillicents } = known;
    const reservedIn = reservedInSlices({ ...totals, depositedMillicents }, found, keeps);
    const ownResult = await this.#parts.wallets.restoreWallet({
      walletId: known.id,
      epoch: known.epoch,
      version: known.version,
      found: own,
      forgetMatches: !keeps[0],
      settledMarks: totals.settledMarks[0] ?? [],
      spentMillicents: totals.spentMillicents,
      impressions: totals.impressions,
      slices: known.slices,
      depositedMillicents,
      campaigns: campaignsOfOwnWallet(totals, { found, keeps, reservedIn }),
    });
    if (ownResult === "changed") return null;
    if (!(await this.#restoreSlices(known, totals, { found, keeps, reservedIn }))) return null;
    const outcome: Outcome = isNew(known, own, row.epoch) ? "created" : isWhole ? "kept" : "forgotten";
    this.#restored.inc({ matches: outcome });
    await this.#announce(known, {
      holds: found.some(({ slice, found: wallet }) => keeps[slice] && wallet.heldMillicents > 0),
      outbox: outbox.length > 0,
    });
    return { epoch: known.epoch, outcome, lateIds: missingLateIds(found, known) };
  }

  /**
   * Restores the other slices of a wallet, also when one of them fails: what is restored keeps its matches. False: one has
   * changed since it was frozen. A few at a time: Redis runs one script after the other, so that each of many would wait for
   * all others until its time limit.
   */
  async #restoreSlices(
    known: KnownAdvertiser,
    totals: WalletTotals,
    { found, keeps, reservedIn }: KeptSlices,
  ): Promise<boolean> {
    const restored: PromiseSettledResult<"restored" | "changed">[] = [];
    for (const few of chunks(found.slice(1), SLICES_RESTORED_TOGETHER)) {
      const results = await Promise.allSettled(
        few.map(({ slice, found: wallet }) =>
          this.#parts.wallets.restoreSlice({
            advertiserId: known.id,
            epoch: known.epoch,
            version: known.version,
            slice,
            found: wallet,
            forgetMatches: !keeps[slice],
            settledMarks: totals.settledMarks[slice] ?? [],
            campaigns: totals.campaigns.map(({ campaignId, version, status, day }, index) => ({
              campaignId,
              version,
              status,
              day,
              reservedMillicents: reservedIn(slice, index),
            })),
          }),
        ),
      );
      restored.push(...results);
    }
    for (const one of restored) {
      if (one.status === "rejected") throw one.reason;
      if (one.value === "changed") return false;
    }
    return true;
  }

  async #readSlice(
    known: KnownAdvertiser,
    totals: WalletTotals,
    { wallet, slice }: { wallet: FrozenWallet; slice: number },
  ): Promise<FoundSlice> {
    const { wallets } = this.#parts;
    const walletId = walletIdOf(known.id, slice);
    const marks = await wallets.findSettledMarks(walletId, marksOf(known, slice));
    if (wallet.epoch === "") return { slice, found: wallet, campaigns: [], marks };
    const campaigns: FoundSlice["campaigns"][number][] = [];
    for (const page of chunks(totals.campaigns, CAMPAIGNS_READ_TOGETHER)) {
      const read = page.map(({ campaignId }) => wallets.readOwnTotals(walletId, campaignId));
      campaigns.push(...(await Promise.all(read)));
    }
    return { slice, found: wallet, campaigns, marks };
  }

  /** Null: too many to count; billing has to write them first. */
  async #readOutboxes(walletIds: readonly string[]): Promise<ImpressionRecord[] | null> {
    const { due, nowMs } = this.#parts;
    const records: ImpressionRecord[] = [];
    for (const [index, walletId] of walletIds.entries()) {
      records.push(...(await this.#readOutbox(walletId)));
      if (records.length <= MAX_OUTBOX_LENGTH) continue;
      for (const id of walletIds.slice(0, index + 1)) await due.register("outbox", id, nowMs());
      return null;
    }
    return records;
  }

  /** Ends after the page that is too many. */
  async #readOutbox(walletId: string): Promise<ImpressionRecord[]> {
    const records = new Map<string, ImpressionRecord>();
    let cursor: string | undefined;
    do {
      const page = await this.#parts.wallets.listOutbox(walletId, OUTBOX_PAGE, cursor);
      for (const record of page.items) records.set(record.impression_id, record);
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined && records.size <= MAX_OUTBOX_LENGTH);
    return [...records.values()];
  }

  /** The due index may be gone, or on another node that lost data. */
  async #announce({ id, slices }: KnownAdvertiser, has: { holds: boolean; outbox: boolean }): Promise<void> {
    const { due, nowMs } = this.#parts;
    for (const walletId of walletIds(id, slices)) {
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
function transactionGroups(found: ReadonlyMap<string, Found>): Map<string, Found>[] {
  const groups: Map<string, Found>[] = [];
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

/**
 * Redis lost nothing: there is no wallet, and no restore was ever begun, or none is known to have ended and nothing was
 * spent. Impressions may be older than the first wallet, as those of the demo are.
 */
function isNew(known: KnownAdvertiser, wallet: FrozenWallet, formerEpoch: number): boolean {
  if (wallet.epoch !== "" || known.verifiedEpoch !== 0) return false;
  return formerEpoch === 0 || known.impressions === 0;
}

/**
 * Its own server proves it, whatever the servers of other slices have lost. But a match that a late charge has yet to take would
 * be charged again.
 */
function hasLostNothing(slice: FoundSlice, known: KnownAdvertiser): boolean {
  const { servedUntilFrozen, heldMillicents, holdsMillicents } = slice.found;
  if (!servedUntilFrozen || heldMillicents !== holdsMillicents) return false;
  if (!isTrustedEpoch(slice.found, known)) return false;
  return known.unsettled !== null && missingLateIds([slice], known).length === 0;
}

type Freezing = ReturnType<MoneyCommands["freezeUnlessLive"]>;

/** The first of these wallets that may not serve; undefined: none. */
async function firstDoubted(
  walletIds: readonly string[],
  freeze: (walletId: string) => Freezing,
): Promise<Awaited<Freezing> | undefined> {
  for (const walletId of walletIds) {
    const wallet = await freeze(walletId);
    if (wallet.state !== "live") return wallet;
  }
  return undefined;
}

/** The campaigns of the advertiser's own wallet, with what kept holds in the slices need. */
function campaignsOfOwnWallet({ campaigns }: WalletTotals, { found, keeps, reservedIn }: KeptSlices) {
  return campaigns.map((campaign, index) => ({
    ...campaign,
    reservedInSlices: new Map(
      found.slice(1).flatMap(({ slice, campaigns: foundCampaigns }) => {
        const heldMillicents = keeps[slice] ? (foundCampaigns[index]?.heldMillicents ?? 0) : 0;
        const reservedMillicents = reservedIn(slice, index);
        return heldMillicents > 0 ? [[slice, { reservedMillicents, heldMillicents }] as const] : [];
      }),
    ),
  }));
}
