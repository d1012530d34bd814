import type { PostingSet } from "../postings/posting-set.ts";

/** A campaign stays in its posting lists for this time after its end, so that small clock corrections cost nothing. */
export const endedForMs = 120_000;
/** Maximum records restored before one search. */
const MAX_PER_SEARCH = 64;

/**
 * Campaigns that have ended. A search reports those that it visits, and they are removed from the posting lists after it. When
 * the clock is set back, all are inserted again, a limited number before each search; searches report those that have ended
 * nevertheless.
 */
export class Ended {
  readonly #live: PostingSet;
  /** In the order of their removal. */
  readonly #addresses = new Set<number>();
  #latestMs = Number.NEGATIVE_INFINITY;
  /** Number of records that were removed before the clock was set back. */
  #outdated = 0;

  constructor(live: PostingSet) {
    this.#live = live;
  }

  /** Removes a record from the posting lists. It must have ended at least `endedForMs` ago. */
  retire(address: number): void {
    this.#live.remove(address);
    this.#addresses.add(address);
  }

  /** Forgets a retired record without restoring it; returns false when it is not retired. */
  remove(address: number): boolean {
    return this.#addresses.delete(address);
  }

  /** Restores some records after the clock was set back; returns whether more remain. */
  restore(nowMs: number): boolean {
    const wasSetBack = nowMs < this.#latestMs - endedForMs;
    this.#latestMs = wasSetBack ? nowMs : Math.max(this.#latestMs, nowMs);
    if (wasSetBack) this.#outdated = this.#addresses.size;
    if (this.#outdated === 0) return false;
    let left = MAX_PER_SEARCH;
    for (const address of this.#addresses) {
      if (left === 0 || this.#outdated === 0) return this.#outdated > 0;
      left -= 1;
      this.#outdated -= 1;
      this.#addresses.delete(address);
      this.#live.add(address);
    }
    this.#outdated = 0;
    return false;
  }
}
