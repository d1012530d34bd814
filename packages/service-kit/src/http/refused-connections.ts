import { networkOf } from "./client-address.ts";

/** Requests a minute from one address that are none, each counted by the process that met it. */
const LIMIT_PER_MINUTE = 100;
const MINUTE_MS = 60_000;
/** Addresses told apart within a minute; those that come later share one count. */
const MAX_ADDRESSES = 10_000;
const ALL_OTHERS = "others";

/** What an answer says of a limit, as its headers. */
export interface RefusedConnectionVerdict {
  allowed: boolean;
  headers: Record<string, string>;
}

/** The headers of an answer before anything could be counted: what the minute of a client without a key begins with. */
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
 * The limit of what cannot be read as a request: it has no key and reaches no store, so that each process counts it by
 * client address itself, in minutes of the clock like every other limit (spec: Rate limits).
 */
export class RefusedConnections {
  #minute = -1;
  readonly #counts = new Map<string, number>();

  /** @param address of the socket; undefined once it is closed. */
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
