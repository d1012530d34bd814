import type { RedisConnection } from "../connection.ts";
import { dueKeys } from "../keys.ts";
import { UnexpectedReply } from "../reply.ts";
import { defineScript, type ScriptCall } from "../script.ts";

/** holds: the earliest hold that may lapse; outbox: the earliest committed impression that may not be in Postgres. */
export type DueKind = "holds" | "outbox";

export interface DueAdvertiser {
  advertiserId: string;
  /** Unix milliseconds; pass it to `settle`. */
  dueMs: number;
}

export interface DueIndexOptions {
  /** The clock of `register`. Default: Date.now. */
  now?: () => number;
  /** Advertisers that are remembered as registered. Default: 100 000. */
  maxRemembered?: number;
}

interface Announcement {
  /** The moment that stood when it was announced. */
  standsMs: number;
  /** The moment that was announced: an entry stands until then, also when what stood before is overdue or looked at. */
  announcedMs: number;
  /** So long before either it is announced again. */
  marginMs: number;
}

const MAX_MARGIN_MS = 5_000;
const MAX_PAGE = 1_000;

/**
 * Which advertisers the billing service has to look at, and when.
 *
 * `register` is called before or beside the script whose effects it announces, and costs a call to Redis only once
 * per advertiser and period: what stands in the index is remembered here until a margin before it is due. The margin
 * is the time that such a script may take to arrive; the index keeps an entry until the latest moment announced. So it is
 * with advertisers that are overdue because billing is behind: they do not cost a call per match or impression.
 */
export class DueIndex {
  readonly #redis: RedisConnection;
  readonly #now: () => number;
  readonly #maxRemembered: number;
  readonly #registerScript: ScriptCall;
  readonly #settleScript: ScriptCall;
  readonly #remembered = new Map<string, Announcement>();

  constructor(redis: RedisConnection, options: DueIndexOptions = {}) {
    this.#redis = redis;
    this.#now = options.now ?? Date.now;
    this.#maxRemembered = options.maxRemembered ?? 100_000;
    this.#registerScript = defineScript(redis, "register_due", 2);
    this.#settleScript = defineScript(redis, "settle_due", 2);
  }

  /**
   * Announces that something of the advertiser is due at `dueMs` (Unix milliseconds); the earliest moment stands. There is
   * nothing to wait for when that was announced before.
   */
  register(kind: DueKind, advertiserId: string, dueMs: number): void | Promise<void> {
    const nowMs = this.#now();
    const name = `${kind}:${advertiserId}`;
    const known = this.#remembered.get(name);
    if (known !== undefined) {
      const { standsMs, announcedMs, marginMs } = known;
      if (standsMs <= dueMs && nowMs < standsMs - marginMs) return;
      if (announcedMs <= dueMs && nowMs < announcedMs - marginMs) return;
    }
    return this.#announce(kind, advertiserId, dueMs, nowMs);
  }

  async #announce(kind: DueKind, advertiserId: string, dueMs: number, nowMs: number): Promise<void> {
    const name = `${kind}:${advertiserId}`;
    const moment = Math.ceil(dueMs);
    const reply = await this.#registerScript(dueKeys[kind], dueKeys.announced(kind), advertiserId, moment);
    const standsMs = Number(reply);
    if (reply === null || !Number.isFinite(standsMs)) {
      throw new UnexpectedReply("register_due", reply);
    }
    const marginMs = Math.min(MAX_MARGIN_MS, Math.max(0, moment - nowMs) / 4);
    this.#remember(name, { standsMs, announcedMs: moment, marginMs });
  }

  /** Advertisers due at `nowMs` or before, longest due first, at most `limit` (1 to 1 000). */
  async due(kind: DueKind, nowMs: number, limit: number): Promise<DueAdvertiser[]> {
    return this.#list(dueKeys[kind], String(nowMs), limit);
  }

  /** Advertisers that are registered at all, next due first, at most `limit` (1 to 1 000). */
  async registered(kind: DueKind, limit: number): Promise<DueAdvertiser[]> {
    return this.#list(dueKeys[kind], "+inf", limit);
  }

  /**
   * Says that an advertiser has been looked at: `nextDueMs` is when it has to be looked at again, null when nothing
   * of it is left. False when somebody registered an earlier moment meanwhile: the entry stands as it is.
   */
  async settle(
    kind: DueKind,
    advertiserId: string,
    seenDueMs: number,
    nextDueMs: number | null,
  ): Promise<boolean> {
    const reply = await this.#settleScript(
      dueKeys[kind],
      dueKeys.announced(kind),
      advertiserId,
      seenDueMs,
      nextDueMs === null ? "" : Math.ceil(nextDueMs),
    );
    if (reply !== "settled" && reply !== "changed") {
      throw new UnexpectedReply("settle_due", reply);
    }
    return reply === "settled";
  }

  async #list(key: string, until: string, limit: number): Promise<DueAdvertiser[]> {
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
      throw new RangeError(`limit must be an integer from 1 to ${MAX_PAGE}, not ${limit}`);
    }
    const reply = await this.#redis.zrange(key, "-inf", until, "BYSCORE", "LIMIT", 0, limit, "WITHSCORES");
    const list: DueAdvertiser[] = [];
    for (let i = 0; i + 1 < reply.length; i += 2) {
      list.push({ advertiserId: reply[i] ?? "", dueMs: Number(reply[i + 1]) });
    }
    return list;
  }

  #remember(name: string, entry: Announcement): void {
    this.#remembered.delete(name);
    if (this.#remembered.size >= this.#maxRemembered) {
      const oldest = this.#remembered.keys().next();
      if (!oldest.done) this.#remembered.delete(oldest.value);
    }
    this.#remembered.set(name, entry);
  }
}
