import type { BoundPosting } from "./bound-posting.ts";
import type { Posting } from "./posting.ts";
import type { PostingSet } from "./posting-set.ts";
import type { Terms } from "./terms.ts";

/** What can be walked down and counted. */
export interface Walkable {
  readonly size: number;
  countFrom(value: number): number;
  recordAt(number: number): number;
}

/** How far down each of some postings has been looked at. */
export class Walks<Kind extends Walkable> {
  readonly postings: Kind[] = [];
  readonly blocks: number[] = [];
  readonly places: number[] = [];
  count = 0;

  add(posting: Kind): void {
    this.postings[this.count] = posting;
    this.blocks[this.count] = 0;
    this.places[this.count] = 0;
    this.count += 1;
  }

  restart(): void {
    for (let walk = 0; walk < this.count; walk += 1) {
      this.blocks[walk] = 0;
      this.places[walk] = 0;
    }
  }

  clear(): void {
    this.count = 0;
  }

  /** How many entries have at least this value. */
  countFrom(value: number): number {
    let count = 0;
    for (let walk = 0; walk < this.count; walk += 1) count += this.postings[walk]?.countFrom(value) ?? 0;
    return count;
  }

  /** The record with this number among those of at least the value, over all postings; −1 past the end. */
  recordAt(number: number, value: number): number {
    let left = number;
    for (let walk = 0; walk < this.count; walk += 1) {
      const posting = this.postings[walk];
      if (posting === undefined) break;
      const count = posting.countFrom(value);
      if (left < count) return posting.recordAt(left);
      left -= count;
    }
    return -1;
  }
}

/** Where a search looks: the postings of a set that the raised flags name. */
export class RaisedPostings {
  readonly bids = new Walks<Posting>();
  readonly bounds = new Walks<BoundPosting>();
  readonly affinities = new Walks<Posting>();
  /** The key postings' terms with their highest bids and bounds; `count` of them. */
  readonly #terms: number[] = [];
  readonly #topBids: number[] = [];
  readonly #topBounds: number[] = [];
  #count = 0;
  #set: PostingSet | null = null;

  /** How many postings have been looked at. */
  get walkCount(): number {
    return this.bids.count + this.bounds.count + this.affinities.count;
  }

  /** Starts with the postings of a set. */
  open(set: PostingSet, { raised, raisedCount }: Terms): void {
    this.clear();
    this.#set = set;
    const { tops } = set;
    for (let place = 0; place < raisedCount; place += 1) {
      const term = raised[place] ?? 0;
      const topBound = tops[term * 2 + 1] ?? 0;
      if (topBound === 0) continue;
      this.#terms[this.#count] = term;
      this.#topBids[this.#count] = tops[term * 2] ?? 0;
      this.#topBounds[this.#count] = topBound;
      this.#count += 1;
    }
    if (set.unkeyed.size > 0) {
      this.bids.add(set.unkeyed.byBid);
      this.bounds.add(set.unkeyed.byBound);
    }
  }

  clear(): void {
    this.#set = null;
    this.#count = 0;
    this.bids.clear();
    this.bounds.clear();
    this.affinities.clear();
  }

  /** Adds the posting with the highest bid of those left, if that is above the rank; else false. */
  addBidsAbove(rank: number): boolean {
    const term = this.#takeHighest(this.#topBids, rank);
    const posting = this.#set?.keys[term];
    if (posting !== undefined) this.bids.add(posting.byBid);
    return term >= 0;
  }

  /** The same by bounds. */
  addBoundsAbove(rank: number): boolean {
    const term = this.#takeHighest(this.#topBounds, rank);
    const posting = this.#set?.keys[term];
    if (posting !== undefined) this.bounds.add(posting.byBound);
    return term >= 0;
  }

  /** Adds the postings of all satisfied affinities. */
  addAffinities({ raised, raisedCount }: Terms): void {
    const { affinities } = this.#set ?? { affinities: [] };
    for (let place = 0; place < raisedCount; place += 1) {
      const term = raised[place] ?? 0;
      const posting = term < affinities.length ? affinities[term] : undefined;
      if (posting !== undefined) this.affinities.add(posting);
    }
  }

  /** The term whose top is the highest, which is then not taken again; −1 when none is above the rank. */
  #takeHighest(tops: number[], rank: number): number {
    let best = -1;
    // Those that are taken are 0.
    let highest = Math.max(rank, 0);
    for (let place = 0; place < this.#count; place += 1) {
      const top = tops[place] ?? 0;
      if (top <= highest) continue;
      highest = top;
      best = place;
    }
    if (best < 0) return -1;
    tops[best] = 0;
    return this.#terms[best] ?? -1;
  }
}
