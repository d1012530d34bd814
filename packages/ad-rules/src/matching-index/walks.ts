import { placeOf } from "./arena.ts";
import type { BoundPosting } from "./bound-posting.ts";
import type { Posting, SortedPosting } from "./posting.ts";
import { head, headLength, type PostingSet } from "./posting-set.ts";
import type { Terms } from "./terms.ts";

/** In place of a term: of those records that require nothing. */
const unkeyed = -1;

/** How far down each of some postings has been looked at. */
export class Walks<Kind extends SortedPosting> {
  readonly blocks: number[] = [];
  readonly places: number[] = [];
  count = 0;
  readonly #terms: number[] = [];
  readonly #postingOf: (term: number) => Kind;

  constructor(postingOf: (term: number) => Kind) {
    this.#postingOf = postingOf;
  }

  add(term: number): void {
    this.#terms[this.count] = term;
    this.blocks[this.count] = 0;
    this.places[this.count] = 0;
    this.count += 1;
  }

  postingAt(walk: number): Kind {
    return this.#postingOf(this.#terms[walk] ?? unkeyed);
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
    for (let walk = 0; walk < this.count; walk += 1) count += this.postingAt(walk).countFrom(value);
    return count;
  }

  /** The record with this number among those of at least the value, over all postings; −1 past the end. */
  recordAt(number: number, value: number): number {
    let left = number;
    for (let walk = 0; walk < this.count; walk += 1) {
      const posting = this.postingAt(walk);
      const count = posting.countFrom(value);
      if (left < count) return posting.recordAt(left);
      left -= count;
    }
    return -1;
  }
}

/** The same by bound. Where the first block stands is noted with it: few searches need more of a posting than that. */
export class BoundWalks extends Walks<BoundPosting> {
  /** Of the block that was entered last. */
  numbers: Int32Array = new Int32Array(0);
  start = 0;
  end = 0;
  readonly #addresses: number[] = [];
  /** Negative where there are more blocks. */
  readonly #lengths: number[] = [];
  #set: PostingSet | null = null;

  open(set: PostingSet): void {
    this.#set = set;
    this.clear();
  }

  addFrom(term: number, address: number, length: number): void {
    this.#addresses[this.count] = address;
    this.#lengths[this.count] = length;
    this.add(term);
  }

  /** Goes to a block; false when there is none. */
  enter(walk: number, block: number): boolean {
    let address = this.#addresses[walk] ?? 0;
    let length = this.#lengths[walk] ?? 0;
    if (block > 0) {
      if (length > 0) return false;
      const posting = this.postingAt(walk);
      if (block >= posting.blockCount) return false;
      address = posting.addressAt(block);
      length = posting.lengthOf(block);
    }
    if (this.#set === null) return false;
    this.numbers = this.#set.memory.chunkOf(address);
    this.start = placeOf(address);
    this.end = this.start + Math.abs(length);
    return true;
  }
}

/** Where a search looks: the postings of a set that the raised flags name. */
export class RaisedPostings {
  readonly bids = new Walks<Posting>((term) => this.#keyOf(term).byBid);
  readonly bounds = new BoundWalks((term) => this.#keyOf(term).byBound);
  readonly affinities = new Walks<Posting>((term) => this.#affinityOf(term));
  /** What is read to have it at hand soon: nobody asks what it is. */
  touched = 0;
  /** The key postings' terms with their heads (posting-set.ts); `count` of them. */
  readonly #terms: number[] = [];
  readonly #topBids: number[] = [];
  readonly #topBounds: number[] = [];
  readonly #addresses: number[] = [];
  readonly #lengths: number[] = [];
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
    this.bounds.open(set);
    const { heads } = set;
    for (let place = 0; place < raisedCount; place += 1) {
      const term = raised[place] ?? 0;
      const at = term * headLength;
      const topBound = heads[at + head.topBound] ?? 0;
      if (topBound === 0) continue;
      this.#terms[this.#count] = term;
      this.#topBids[this.#count] = heads[at + head.topBid] ?? 0;
      this.#topBounds[this.#count] = topBound;
      this.#addresses[this.#count] = heads[at + head.address] ?? 0;
      this.#lengths[this.#count] = heads[at + head.length] ?? 0;
      this.#count += 1;
    }
    const { byBound, size } = set.unkeyed;
    if (size === 0) return;
    this.bids.add(unkeyed);
    this.bounds.addFrom(
      unkeyed,
      byBound.addressAt(0),
      byBound.lengthOf(0) * (byBound.blockCount > 1 ? -1 : 1),
    );
  }

  /** Every walk begins anew. */
  restart(): void {
    this.bids.restart();
    this.bounds.restart();
    this.affinities.restart();
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
    const place = this.#takeHighest(this.#topBids, rank);
    if (place < 0) return false;
    this.bids.add(this.#terms[place] ?? unkeyed);
    return true;
  }

  /** The same by bounds. */
  addBoundsAbove(rank: number): boolean {
    const place = this.#takeHighest(this.#topBounds, rank);
    if (place < 0) return false;
    this.bounds.addFrom(
      this.#terms[place] ?? unkeyed,
      this.#addresses[place] ?? 0,
      this.#lengths[place] ?? 0,
    );
    return true;
  }

  /**
   * Reads the beginnings of the postings that have a bound above the rank: such reads do not wait for each other. Postings
   * with no bound as high as `lowest`, the lowest rank that ties, are forgotten: nobody has to go through them again.
   */
  touchBoundsAbove(rank: number, lowest: number): void {
    if (this.#set === null) return;
    const { memory } = this.#set;
    let touched = 0;
    let kept = 0;
    for (let place = 0; place < this.#count; place += 1) {
      if ((this.#topBounds[place] ?? 0) < lowest) continue;
      this.#terms[kept] = this.#terms[place] ?? 0;
      this.#topBids[kept] = this.#topBids[place] ?? 0;
      this.#topBounds[kept] = this.#topBounds[place] ?? 0;
      this.#addresses[kept] = this.#addresses[place] ?? 0;
      this.#lengths[kept] = this.#lengths[place] ?? 0;
      kept += 1;
      if ((this.#topBounds[place] ?? 0) <= rank) continue;
      const address = this.#addresses[place] ?? 0;
      touched ^= memory.chunkOf(address)[placeOf(address)] ?? 0;
    }
    this.touched = touched;
    this.#count = kept;
  }

  /** Adds the postings of all satisfied affinities. */
  addAffinities({ raised, raisedCount }: Terms): void {
    const { affinities } = this.#set ?? { affinities: [] };
    for (let place = 0; place < raisedCount; place += 1) {
      const term = raised[place] ?? 0;
      if (term < affinities.length && affinities[term] !== undefined) this.affinities.add(term);
    }
  }

  #keyOf(term: number) {
    const key = term === unkeyed ? this.#set?.unkeyed : this.#set?.keys[term];
    if (key === undefined) throw new Error(`nothing is posted at term ${term}`);
    return key;
  }

  #affinityOf(term: number): Posting {
    const posting = this.#set?.affinities[term];
    if (posting === undefined) throw new Error(`no affinity is posted at term ${term}`);
    return posting;
  }

  /** Where the highest top stands, which is then not taken again; −1 when none is above the rank. */
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
    if (best >= 0) tops[best] = 0;
    return best;
  }
}
