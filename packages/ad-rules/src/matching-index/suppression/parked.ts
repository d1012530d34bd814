import { field, type Records } from "../documents/records.ts";
import { PostingSet } from "../postings/posting-set.ts";

/** As many come back before one search. */
const maxPerSearch = 64;

/**
 * Campaigns that lack money for long, out of the way of requests: they stand in postings of their own, which are searched only
 * when nobody else is found. A search notes those that it meets, and they are taken out after it; when their refusal ends
 * they come back, a few before each search.
 */
export class Parked {
  /** Where they stand meanwhile. */
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

  /** Some of them lack money no longer. */
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

  /** Forgets a parked record. */
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

  /** It is to come back, if it is parked. */
  release(address: number): void {
    if (this.has(address)) this.#returning.add(address);
  }

  releaseAdvertiser(advertiser: number): void {
    for (const address of this.#byAdvertiser.get(advertiser) ?? []) this.#returning.add(address);
  }

  /** Puts some of those back that are to come. */
  returnSome(): void {
    let left = maxPerSearch;
    for (const address of this.#returning) {
      if (left === 0) return;
      left -= 1;
      this.unpark(address);
    }
  }
}
