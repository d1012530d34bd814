import { field, type Records } from "../documents/records.ts";
import { PostingSet } from "../postings/posting-set.ts";

/** Maximum records restored before one search. */
const MAX_PER_SEARCH = 64;

/**
 * Campaigns that lack money for long. They have posting lists of their own, searched only when no other campaign may serve. A
 * search reports those that it visits, and they are parked after it. When their refusal ends they are restored, a limited
 * number before each search.
 */
export class Parked {
  /** The posting lists of parked records. */
  readonly postings: PostingSet;
  readonly #records: Records;
  readonly #live: PostingSet;
  readonly #addresses = new Set<number>();
  /** By the term of their advertiser. */
  readonly #byAdvertiser = new Map<number, Set<number>>();
  readonly #returning = new Set<number>();

  constructor(records: Records, live: PostingSet) {
    this.#records = records;
    this.#live = live;
    this.postings = new PostingSet(records);
  }

  /** Some parked records wait to be restored. */
  get someReturn(): boolean {
    return this.#returning.size > 0;
  }

  has(address: number): boolean {
    return this.#addresses.has(address);
  }

  park(address: number): void {
    if (this.has(address)) return;
    this.#live.remove(address);
    this.postings.add(address);
    this.#addresses.add(address);
    const advertiser = this.#records.get(address, field.advertiser);
    const others = this.#byAdvertiser.get(advertiser) ?? new Set();
    this.#byAdvertiser.set(advertiser, others.add(address));
  }

  /** Forgets a parked record without restoring it. */
  remove(address: number): void {
    this.postings.remove(address);
    this.#addresses.delete(address);
    this.#returning.delete(address);
    const advertiser = this.#records.get(address, field.advertiser);
    const others = this.#byAdvertiser.get(advertiser);
    others?.delete(address);
    if (others?.size === 0) this.#byAdvertiser.delete(advertiser);
  }

  unpark(address: number): void {
    this.remove(address);
    this.#live.add(address);
  }

  /** Marks a parked record to be restored; ignores others. */
  release(address: number): void {
    if (this.has(address)) this.#returning.add(address);
  }

  releaseAdvertiser(advertiser: number): void {
    for (const address of this.#byAdvertiser.get(advertiser) ?? []) this.#returning.add(address);
  }

  /** Restores some of the marked records. */
  returnSome(): void {
    let left = MAX_PER_SEARCH;
    for (const address of this.#returning) {
      if (left === 0) return;
      left -= 1;
      this.unpark(address);
    }
  }
}
