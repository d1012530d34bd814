import { chunks } from "@diegetic/collections";
import type { RedisConnection } from "../connection.ts";
import { keyUseKeys } from "../keys.ts";

export interface KeyUsesOptions {
  /** How often gathered uses are sent. Default: 10 000. */
  everyMs?: number;
  /** Maximum keys remembered until they are sent. Default: 10 000. */
  maxRemembered?: number;
  /** Called for every failed send; its uses are sent with the next one. */
  onError?: (error: Error) => void;
  /** Called for every successful send. */
  onSuccess?: () => void;
}

export interface KeyUse {
  keyId: string;
  usedAtMs: number;
}

const DEFAULTS = { everyMs: 10_000, maxRemembered: 10_000 };
const MAX_PAGE = 1_000;

/**
 * Times of the last use of API keys, from instances without Postgres. Gathered in memory and sent at most once in
 * `everyMs`, so that requests cost nothing. A crash loses some seconds of a time with minute precision.
 */
export class KeyUses {
  readonly #redis: RedisConnection;
  readonly #options: KeyUsesOptions & typeof DEFAULTS;
  readonly #uses = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(redis: RedisConnection, options: KeyUsesOptions = {}) {
    this.#redis = redis;
    this.#options = { ...DEFAULTS, ...options };
  }

  record(keyId: string, usedAtMs: number): void {
    const known = this.#uses.get(keyId);
    if (known === undefined && this.#uses.size >= this.#options.maxRemembered) return;
    if (known === undefined || known < usedAtMs) this.#uses.set(keyId, usedAtMs);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.flush().catch((error: Error) => this.#options.onError?.(error));
    }, this.#options.everyMs).unref();
  }

  /** Sends the gathered uses. Rejects and keeps them when Redis is unavailable. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#uses.size === 0) return;
    const uses = [...this.#uses];
    this.#uses.clear();
    try {
      for (const page of chunks(uses, MAX_PAGE)) {
        await this.#redis.zadd(keyUseKeys.last, "GT", ...page.flatMap(([keyId, ms]) => [ms, keyId]));
      }
      this.#options.onSuccess?.();
    } catch (error) {
      for (const [keyId, ms] of uses) this.record(keyId, ms);
      throw error;
    }
  }
}

/** Removes and returns sent uses, oldest first, at most `limit` (1 to 1 000). The caller has the only copy. */
export async function takeKeyUses(redis: RedisConnection, limit: number): Promise<KeyUse[]> {
  const reply = await redis.zpopmin(keyUseKeys.last, Math.min(MAX_PAGE, limit));
  return [...chunks(reply, 2)].map(([keyId = "", ms]) => ({ keyId, usedAtMs: Number(ms) }));
}
