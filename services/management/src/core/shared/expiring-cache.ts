import type { Clock } from "./time.ts";

/** A cache that recomputes expired values, once for all concurrent callers. */
export class ExpiringCache<Value> {
  readonly #clock: Clock;
  readonly #keptMs: number;
  readonly #maxKeys: number;
  readonly #values = new Map<string, { value: Promise<Value>; madeAtMs: number }>();

  /** @param options.maxKeys maximum values; the oldest are evicted */
  constructor(clock: Clock, { keptMs, maxKeys }: { keptMs: number; maxKeys: number }) {
    this.#clock = clock;
    this.#keptMs = keptMs;
    this.#maxKeys = maxKeys;
  }

  get(key: string, make: () => Promise<Value>): Promise<Value> {
    const nowMs = this.#clock();
    const known = this.#values.get(key);
    // A value from the future is of a time when the clock was wrong.
    const isFresh = known !== undefined && known.madeAtMs <= nowMs && nowMs - known.madeAtMs < this.#keptMs;
    if (isFresh) return known.value;
    const made = { value: make(), madeAtMs: nowMs };
    this.#values.delete(key);
    this.#values.set(key, made);
    const [oldest] = this.#values.keys();
    if (this.#values.size > this.#maxKeys && oldest !== undefined) this.#values.delete(oldest);
    // Failures are not cached.
    made.value.catch(() => {
      if (this.#values.get(key) === made) this.#values.delete(key);
    });
    return made.value;
  }
}
