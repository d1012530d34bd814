import { networkOf } from "./client-address.ts";

/** Malformed requests per minute from one address; each process counts its own. */
const LIMIT_PER_MINUTE = 100;
const MINUTE_MS = 60_000;
/** Addresses with separate counters within a minute; later ones share one. */
const MAX_ADDRESSES = 10_000;
const ALL_OTHERS = "others";

/** Whether a request is within the limit, and the rate limit headers of its answer. */
export interface RefusedConnectionVerdict {
  allowed: boolean;
  headers: Record<string, string>;
}

/** Rate limit headers before anything was counted: a fresh window of a client without a key. */
export function uncountedLimitHeaders(nowMs: number): Record<string, string> {
  return limitHeaders(LIMIT_PER_MINUTE, Math.floor(nowMs / MINUTE_MS) + 1);
}

function limitHeaders(remaining: number, nextMinute: number): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(LIMIT_PER_MINUTE),
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String((nextMinute * MINUTE_MS) / 1_000),
  };
}

/**
 * The limit of malformed requests. They have no key and reach no store, so each process counts them by client address, in
 * fixed minutes like every other limit (docs/behaviour.md#rate-limits).
 */
export class RefusedConnections {
  #minute = -1;
  readonly #counts = new Map<string, number>();

  /** @param address of the socket; undefined after it was closed */
  take(address: string | undefined, nowMs: number): RefusedConnectionVerdict {
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== this.#minute) this.#counts.clear();
    this.#minute = minute;
    const network = networkOf(address) ?? ALL_OTHERS;
    const isCounted = this.#counts.has(network) || this.#counts.size < MAX_ADDRESSES;
    const bucket = isCounted ? network : ALL_OTHERS;
    const count = (this.#counts.get(bucket) ?? 0) + 1;
    this.#counts.set(bucket, count);
    const resetMs = (minute + 1) * MINUTE_MS;
    const allowed = count <= LIMIT_PER_MINUTE;
    return {
      allowed,
      headers: {
        ...limitHeaders(Math.max(0, LIMIT_PER_MINUTE - count), minute + 1),
        ...(!allowed && { "Retry-After": String(Math.max(1, Math.ceil((resetMs - nowMs) / 1_000))) }),
      },
    };
  }
}
