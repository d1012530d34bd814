import type { RedisConnection } from "../connection.ts";
import { keyUseKeys } from "../keys.ts";

export interface KeyUsesOptions {
  /** How long uses are gathered before they are sent. Milliseconds, default: 10 000. */
  everyMs?: number;
  /** Keys that are remembered until they are sent. Default: 10 000. */
  maxRemembered?: number;
  /** Told of a sending that failed; what it held is sent with the next. */
  onError?: (error: Error) => void;
  /** Told of every sending that succeeded. */
  onSuccess?: () => void;
}

export interface KeyUse {
  keyId: string;
  /** Unix milliseconds. */
  usedAtMs: number;
}

const MAX_PAGE = 1_000;

/**
 * When API keys were last used, from instances that cannot write it down themselves: gathered in memory, sent at most
 * once in `everyMs`, so that a request costs nothing. What a crash loses is some seconds of a moment shown to the minute.
 */
export class KeyUses {
  readonly #redis: RedisConnection;
  readonly #everyMs: number;
  readonly #maxRemembered: number;
  readonly #onError: (error: Error) => void;
  readonly #onSuccess: () => void;
  readonly #uses = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(redis: RedisConnection, options: KeyUsesOptions = {}) {
    this.#redis = redis;
    this.#everyMs = options.everyMs ?? 10_000;
    this.#maxRemembered = options.maxRemembered ?? 10_000;
    this.#onError = options.onError ?? (() => {});
    this.#onSuccess = options.onSuccess ?? (() => {});
  }

  /** Remembers the latest use of a key. */
  note(keyId: string, usedAtMs: number): void {
    const known = this.#uses.get(keyId);
    if (known === undefined && this.#uses.size >= this.#maxRemembered) return;
    if (known === undefined || known < usedAtMs) this.#uses.set(keyId, usedAtMs);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.flush().catch((error: Error) => this.#onError(error));
    }, this.#everyMs).unref();
  }

  /** Sends what was gathered; rejects when Redis is unavailable, and keeps it for the next time. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#uses.size === 0) return;
    const uses = [...this.#uses];
    this.#uses.clear();
    try {
      for (let start = 0; start < uses.length; start += MAX_PAGE) {
        const page = uses.slice(start, start + MAX_PAGE);
        await this.#redis.zadd(keyUseKeys.last, "GT", ...page.flatMap(([keyId, ms]) => [ms, keyId]));
      }
      this.#onSuccess();
    } catch (error) {
      for (const [keyId, ms] of uses) this.note(keyId, ms);
      throw error;
    }
  }
}

/** Takes out what was sent, the oldest uses first, at most `limit` (1 to 1 000). A use that is taken is nowhere else. */
export async function takeKeyUses(redis: RedisConnection, limit: number): Promise<KeyUse[]> {
  const reply = await redis.zpopmin(keyUseKeys.last, Math.min(MAX_PAGE, limit));
  const uses: KeyUse[] = [];
  for (let place = 0; place + 1 < reply.length; place += 2) {
    uses.push({ keyId: reply[place] ?? "", usedAtMs: Number(reply[place + 1]) });
  }
  return uses;
}
