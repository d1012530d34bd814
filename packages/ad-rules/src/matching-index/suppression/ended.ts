import { bits, field, flightEndAt, type Records } from "../documents/records.ts";
import { PostingList } from "../postings/posting-list.ts";
import type { PostingSet } from "../postings/posting-set.ts";
import { Arena, offsetOf } from "../storage/arena.ts";

/** Resolution of stored end times, so that they fit into 32-bit integers. */
const periodMs = 120_000;
/** Maximum records restored before one search. */
const maxPerSearch = 64;

/**
 * Campaigns that have ended. A search reports those that it visits, and they are removed from the posting lists after it. When
 * the clock is set back, they are inserted again, a limited number before each search.
 */
export class Ended {
  readonly #records: Records;
  readonly #live: PostingSet;
  /** By the period of their end, latest first. */
  readonly #byPeriod = new PostingList(new Arena());

  constructor(records: Records, live: PostingSet) {
    this.#records = records;
    this.#live = live;
  }

  /** Removes a record from the posting lists. It must have ended at least two minutes ago. */
  retire(address: number): void {
    this.#live.remove(address);
    this.#byPeriod.insert([this.#periodOf(address), address]);
    this.#setTraits(address, this.#traits(address) | bits.ended);
  }

  has(address: number): boolean {
    return (this.#traits(address) & bits.ended) !== 0;
  }

  /** Forgets a retired record without restoring it. */
  remove(address: number): void {
    this.#byPeriod.remove(this.#periodOf(address), address);
    this.#setTraits(address, this.#traits(address) & ~bits.ended);
  }

  /** Restores some records that have not ended at this time; returns whether more may remain. */
  restore(nowMs: number): boolean {
    for (let left = maxPerSearch; left > 0; left -= 1) {
      const address = this.#byPeriod.topRecord;
      if (address < 0 || (this.#byPeriod.top + 1) * periodMs <= nowMs) return false;
      this.remove(address);
      this.#live.add(address);
    }
    return true;
  }

  #periodOf(address: number): number {
    const endsBeforeMs = this.#records.floatsOf(address)[flightEndAt(offsetOf(address))] ?? 0;
    return Math.floor(endsBeforeMs / periodMs);
  }

  #traits(address: number): number {
    return this.#records.get(address, field.traits);
  }

  #setTraits(address: number, traits: number): void {
    this.#records.set(address, field.traits, traits);
  }
}
