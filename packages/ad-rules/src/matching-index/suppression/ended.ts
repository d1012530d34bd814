import { bits, field, type Records, timesAt } from "../documents/records.ts";
import { Posting } from "../postings/posting.ts";
import type { PostingSet } from "../postings/posting-set.ts";
import { Arena, placeOf } from "../storage/arena.ts";

/** How exactly ends are remembered: such that all of them are small whole numbers. */
const periodMs = 120_000;
/** As many come back before one search. */
const maxPerSearch = 64;

/**
 * Campaigns that have ended, out of the way of requests. A search notes those that it meets, and they are taken out of the
 * postings after it; should the clock go back, they are put in again, a few before each search.
 */
export class Ended {
  readonly #records: Records;
  readonly #live: PostingSet;
  /** By the period of their ends, the latest first. */
  readonly #byPeriod = new Posting(new Arena());

  constructor(records: Records, live: PostingSet) {
    this.#records = records;
    this.#live = live;
  }

  /** Takes a record out of the postings that ended at least two minutes ago. */
  retire(address: number): void {
    this.#live.remove(address);
    this.#byPeriod.insert([this.#periodOf(address), address]);
    this.#setTraits(address, this.#traits(address) | bits.ended);
  }

  has(address: number): boolean {
    return (this.#traits(address) & bits.ended) !== 0;
  }

  /** Forgets a retired record. */
  remove(address: number): void {
    this.#byPeriod.remove(this.#periodOf(address), address);
    this.#setTraits(address, this.#traits(address) & ~bits.ended);
  }

  /** Puts some of those back that have not ended at this time; whether there may be more of them. */
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
    const endsBeforeMs = this.#records.floatsOf(address)[timesAt(placeOf(address)) + 1] ?? 0;
    return Math.floor(endsBeforeMs / periodMs);
  }

  #traits(address: number): number {
    return this.#records.get(address, field.traits);
  }

  #setTraits(address: number, traits: number): void {
    this.#records.set(address, field.traits, traits);
  }
}
