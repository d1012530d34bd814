import { chunks } from "@diegetic/collections";
import { requireInteger } from "../arguments.ts";
import type { RedisConnection } from "../connection.ts";
import { dueKeys } from "../keys.ts";
import { defineScript, type ScriptCall } from "../script.ts";

/** holds: the earliest hold that may lapse; outbox: the earliest committed impression that may be missing in Postgres. */
export type DueKind = "holds" | "outbox";

export interface DueWallet {
  walletId: string;
  /** Unix milliseconds; pass it to `reschedule`. */
  dueMs: number;
}

export interface DueIndexOptions {
  /** The clock of `register` and `reschedule`. Default: Date.now. */
  nowMs?: () => number;
  /** Maximum wallets of each kind remembered as registered. Default: 100 000. */
  maxRemembered?: number;
}

interface Announcement {
  /** The entry's time when it was announced. */
  standsMs: number;
  /** The announced time: the entry stays until then, even if an earlier time is overdue or being processed. */
  announcedMs: number;
  /** It is announced again this long before either. */
  marginMs: number;
}

const MAX_MARGIN_MS = 5_000;
/** However late something is announced, visits are at least this far apart. */
const MIN_LEAD_MS = 1_000;
const MAX_PAGE = 1_000;

/**
 * Which wallets billing has to visit, and when.
 *
 * `register` is called before or concurrently with the script whose effects it announces. It calls Redis once per
 * wallet and period: entries are remembered here until a margin before they are due. The margin covers the time
 * that such a script may take to arrive; the index keeps an entry until the latest announced time, and visits
 * by the shortest lead until then. Overdue wallets therefore cost no call per match or impression while billing is
 * behind, and an instance with a short HOLD_TTL_SECONDS does not wait for another's long one.
 */
export class DueIndex {
  readonly #redis: RedisConnection;
  readonly #nowMs: () => number;
  readonly #maxRemembered: number;
  readonly #registerScript: ScriptCall;
  readonly #rescheduleScript: ScriptCall;
  /** By wallet. */
  readonly #remembered: Readonly<Record<DueKind, Map<string, Announcement>>> = {
    holds: new Map(),
    outbox: new Map(),
  };

  constructor(redis: RedisConnection, options: DueIndexOptions = {}) {
    this.#redis = redis;
    this.#nowMs = options.nowMs ?? Date.now;
    this.#maxRemembered = options.maxRemembered ?? 100_000;
    this.#registerScript = defineScript(redis, "register_due", 2);
    this.#rescheduleScript = defineScript(redis, "reschedule_due", 2);
  }

  /**
   * Announces that something of the wallet is due at `dueMs` (Unix milliseconds); the earliest time wins.
   * Synchronous if it was announced before.
   */
  register(kind: DueKind, walletId: string, dueMs: number): void | Promise<void> {
    const nowMs = this.#nowMs();
    const known = this.#remembered[kind].get(walletId);
    if (known !== undefined) {
      const { standsMs, announcedMs, marginMs } = known;
      if (standsMs <= dueMs && nowMs < standsMs - marginMs) return;
      if (announcedMs <= dueMs && nowMs < announcedMs - marginMs) return;
    }
    return this.#announce(kind, walletId, dueMs, nowMs);
  }

  async #announce(kind: DueKind, walletId: string, dueMs: number, nowMs: number): Promise<void> {
    const moment = Math.ceil(dueMs);
    const lead = Math.max(MIN_LEAD_MS, Math.ceil(moment - nowMs));
    const keys = [dueKeys[kind], dueKeys.announced(kind)] as const;
    const reply = await this.#registerScript(...keys, walletId, moment, lead);
    const standsMs = reply.integer(0);
    const marginMs = Math.min(MAX_MARGIN_MS, Math.max(0, moment - nowMs) / 4);
    this.#remember(kind, walletId, { standsMs, announcedMs: moment, marginMs });
  }

  /** Wallets due at `nowMs` or earlier, longest overdue first, at most `limit` (1 to 1 000). */
  async due(kind: DueKind, nowMs: number, limit: number): Promise<DueWallet[]> {
    return this.#list(dueKeys[kind], String(nowMs), limit);
  }

  /** All registered wallets, next due first, at most `limit` (1 to 1 000). */
  async registered(kind: DueKind, limit: number): Promise<DueWallet[]> {
    return this.#list(dueKeys[kind], "+inf", limit);
  }

  /**
   * Marks a wallet as visited. `nextDueMs`: when to visit it again; null: nothing is left. False: an earlier time
   * was registered meanwhile, and the entry is unchanged.
   */
  async reschedule(
    kind: DueKind,
    walletId: string,
    seenDueMs: number,
    nextDueMs: number | null,
  ): Promise<boolean> {
    const reply = await this.#rescheduleScript(
      dueKeys[kind],
      dueKeys.announced(kind),
      walletId,
      seenDueMs,
      nextDueMs === null ? "" : Math.ceil(nextDueMs),
      Math.ceil(this.#nowMs()),
    );
    return reply.code(0, ["rescheduled", "changed"]) === "rescheduled";
  }

  async #list(key: string, until: string, limit: number): Promise<DueWallet[]> {
    requireInteger("limit", limit, 1, MAX_PAGE);
    const reply = await this.#redis.zrange(key, "-inf", until, "BYSCORE", "LIMIT", 0, limit, "WITHSCORES");
    return [...chunks(reply, 2)].map(([walletId = "", dueMs]) => ({ walletId, dueMs: Number(dueMs) }));
  }

  #remember(kind: DueKind, walletId: string, entry: Announcement): void {
    const remembered = this.#remembered[kind];
    remembered.delete(walletId);
    if (remembered.size >= this.#maxRemembered) {
      const oldest = remembered.keys().next();
      if (!oldest.done) remembered.delete(oldest.value);
    }
    remembered.set(walletId, entry);
  }
}
