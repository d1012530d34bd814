import { LRUCache } from "lru-cache";
import type { RedisConnection } from "../connection.ts";
import { rateLimitKeys } from "../keys.ts";
import { TooManyWaiting } from "../redis-unavailable.ts";
import { defineScript, type ScriptCall } from "../script.ts";

export interface RateLimitAnswer {
  allowed: boolean;
  limit: number;
  /** Requests left in this window, as far as this instance knows. */
  remaining: number;
  /** Unix seconds at which the window ends. */
  resetUnixSeconds: number;
  /** Time until then: the clock of Redis, which counts the windows, may differ from the caller's. */
  windowLeftMs: number;
}

export interface RateLimiterOptions {
  /** Length of the fixed window. Default: one minute. */
  windowMs?: number;
  /** Maximum buckets remembered of each kind. Default: 50 000, each of about 200 bytes. */
  maxBuckets?: number;
}

interface Waiter {
  limit: number;
  nowMs: number;
  resolve: (answer: RateLimitAnswer) => void;
  reject: (error: Error) => void;
}

/** What this instance knows about a bucket's current window. */
interface Bucket {
  /** Taken from Redis and not used yet. */
  quota: number;
  /** Taken from Redis by all instances, as of the last call. */
  taken: number;
  knownSinceMs: number;
  validUntilMs: number;
  /** Unix milliseconds by the clock of Redis; 0: not known yet. */
  windowEndsMs: number;
  resetUnixSeconds: number;
  waiting: Waiter[];
  refilling: boolean;
}

const MAX_WAITING_PER_BUCKET = 10_000;

/**
 * Fixed windows shared by all instances; exact: concurrent instances never exceed a limit in total. Instances take
 * quota in chunks (a fiftieth of what remains; less when more than 12 instances share the bucket), so that most requests
 * need no call. Unused quota is lost at the end of the window. Up to a limit of 99, no quota is taken in advance.
 *
 * Each request counts against its own limit: rotated keys, which share a bucket, may have different ones.
 */
export class RateLimiter {
  readonly #takeScript: ScriptCall;
  readonly #windowMs: number;
  readonly #maxBuckets: number;
  /**
   * By kind, then by id: callers without a key, whose addresses are endless, must not evict the buckets of keys. An evicted
   * bucket loses quota, which means refused requests, never excess ones.
   */
  readonly #buckets = new Map<string, LRUCache<string, Bucket>>();

  constructor(redis: RedisConnection, options: RateLimiterOptions = {}) {
    this.#takeScript = defineScript(redis, "take_quota", 1);
    this.#windowMs = options.windowMs ?? 60_000;
    this.#maxBuckets = options.maxBuckets ?? 50_000;
  }

  /**
   * Counts one request against a bucket; synchronous when this instance knows the answer. Rejects (fail closed) when
   * Redis is needed and unavailable, or when too many wait for the same bucket.
   * @param kind one of few; with the id, it names the bucket
   * @param limit requests per window
   * @param nowMs Unix milliseconds by the caller's clock
   */
  take(kind: string, id: string, limit: number, nowMs: number): RateLimitAnswer | Promise<RateLimitAnswer> {
    const known = this.#bucket(kind, id);
    return (
      this.#answerLocally(known, limit, nowMs) ??
      new Promise<RateLimitAnswer>((resolve, reject) => {
        if (known.waiting.length >= MAX_WAITING_PER_BUCKET) {
          reject(new TooManyWaiting("too many requests wait for one rate limit"));
          return;
        }
        known.waiting.push({ limit, nowMs, resolve, reject });
        if (!known.refilling) void this.#refill(`${kind}:${id}`, known);
      })
    );
  }

  /** The answer from local knowledge; undefined: Redis is needed. */
  #answerLocally(known: Bucket, limit: number, nowMs: number): RateLimitAnswer | undefined {
    if (known.waiting.length > 0 || nowMs < known.knownSinceMs || nowMs >= known.validUntilMs)
      return undefined;
    return this.#use(known, limit, nowMs);
  }

  #use(known: Bucket, limit: number, nowMs: number): RateLimitAnswer | undefined {
    const { resetUnixSeconds } = known;
    const windowLeftMs = Math.max(0, known.validUntilMs - nowMs);
    const remaining = limit - known.taken + known.quota;
    if (known.quota > 0 && remaining > 0) {
      known.quota -= 1;
      return { allowed: true, limit, remaining: remaining - 1, resetUnixSeconds, windowLeftMs };
    }
    if (remaining > 0) return undefined;
    return { allowed: false, limit, remaining: 0, resetUnixSeconds, windowLeftMs };
  }

  /** Calls Redis until every waiting request has an answer. Never rejects: failures reject the waiting requests. */
  async #refill(bucket: string, known: Bucket): Promise<void> {
    known.refilling = true;
    while (known.waiting.length > 0) {
      const next = known.waiting.slice(0, 1_000);
      const requestedAtMs = Math.min(...next.map((waiter) => waiter.nowMs));
      const limit = Math.max(...next.map((waiter) => waiter.limit));
      try {
        await this.#takeQuota(bucket, known, limit, requestedAtMs);
      } catch (error) {
        const failure = error instanceof Error ? error : new Error(String(error));
        for (const waiter of known.waiting.splice(0)) waiter.reject(failure);
        break;
      }
      for (let waiter = known.waiting[0]; waiter !== undefined; waiter = known.waiting[0]) {
        const answer = this.#use(known, waiter.limit, waiter.nowMs);
        if (answer === undefined) break;
        known.waiting.shift();
        waiter.resolve(answer);
      }
    }
    known.refilling = false;
  }

  async #takeQuota(bucket: string, known: Bucket, limit: number, requestedAtMs: number): Promise<void> {
    const wanted = known.waiting.length;
    const reply = await this.#takeScript(
      rateLimitKeys.bucket(bucket),
      limit,
      this.#windowMs,
      wanted,
      known.windowEndsMs,
    );
    // Quota of an earlier window is gone; only the new grant counts.
    known.quota = reply.integer(0);
    known.taken = limit - reply.integer(1);
    known.knownSinceMs = requestedAtMs;
    // Measured from before the call, so that quota is never used after its window has ended in Redis.
    known.validUntilMs = requestedAtMs + reply.integer(2);
    known.windowEndsMs = reply.integer(3);
    known.resetUnixSeconds = Math.ceil(known.windowEndsMs / 1000);
  }

  #bucket(kind: string, id: string): Bucket {
    let buckets = this.#buckets.get(kind);
    if (buckets === undefined) {
      buckets = new LRUCache({ max: this.#maxBuckets });
      this.#buckets.set(kind, buckets);
    }
    const known = buckets.get(id);
    if (known !== undefined) return known;
    const fresh: Bucket = {
      quota: 0,
      taken: 0,
      knownSinceMs: 0,
      validUntilMs: 0,
      windowEndsMs: 0,
      resetUnixSeconds: 0,
      waiting: [],
      refilling: false,
    };
    buckets.set(id, fresh);
    return fresh;
  }
}
