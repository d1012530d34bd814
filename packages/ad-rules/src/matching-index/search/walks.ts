import type { RequestSignature } from "../dictionary/signature.ts";
import type { Terms } from "../dictionary/terms.ts";
import { type BoundPosting, reachAbove, reachOf } from "../postings/bound-posting.ts";
import type { BidPosting, Posting, SortedPosting } from "../postings/posting.ts";
import { head, headLength, type PostingSet } from "../postings/posting-set.ts";
import { placeOf } from "../storage/arena.ts";

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
  /** By walk: nothing from where it stands on has a higher bound. */
  readonly topBounds: number[] = [];
  readonly #addresses: number[] = [];
  /** Negative where there are more blocks. */
  readonly #lengths: number[] = [];
  #set: PostingSet | null = null;

  open(set: PostingSet): void {
    this.#set = set;
    this.clear();
  }

  addFrom(term: number, top: number, address: number, length: number): void {
    this.topBounds[this.count] = top;
    this.#addresses[this.count] = address;
    this.#lengths[this.count] = length;
    this.add(term);
  }

  override restart(): void {
    super.restart();
    this.topBounds.fill(Number.POSITIVE_INFINITY);
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

/** Where a search looks: the postings of a set that the active flags name. */
export class ActivePostings {
  readonly bids = new Walks<BidPosting>((term) => this.#keyOf(term).byBid);
  readonly bounds = new BoundWalks((term) => this.#keyOf(term).byBound);
  readonly affinities = new Walks<Posting>((term) => this.#affinityOf(term));
  /** The key postings' terms with their heads (posting-set.ts); `count` of them. */
  readonly #terms: number[] = [];
  readonly #topBids: number[] = [];
  readonly #topBounds: number[] = [];
  readonly #addresses: number[] = [];
  readonly #lengths: number[] = [];
  #count = 0;
  /** Where `addBoundsAbove` goes on. */
  #next = 0;
  /** Records, and what they rank at most: see `readTopCandidates`. */
  readonly #topRecords: number[] = [];
  readonly #topReaches: number[] = [];
  #topCount = 0;
  #set: PostingSet | null = null;

  /** How many postings have been looked at. */
  get walkCount(): number {
    return this.bids.count + this.bounds.count + this.affinities.count;
  }

  /** Starts with the postings of a set. */
  open(set: PostingSet, { activeKeys, activeKeyCount }: Terms): void {
    this.clear();
    this.#set = set;
    this.bounds.open(set);
    const { heads } = set;
    for (let place = 0; place < activeKeyCount; place += 1) {
      const term = activeKeys[place] ?? 0;
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
      byBound.top,
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
    this.#next = 0;
    this.bids.clear();
    this.bounds.clear();
    this.affinities.clear();
  }

  /** Adds the posting with the highest bid of those left, if that is above the rank; else false. */
  addBidsAbove(rank: number): boolean {
    const place = highestOf(this.#topBids, this.#count, rank);
    if (place < 0) return false;
    this.#topBids[place] = 0;
    this.bids.add(this.#terms[place] ?? unkeyed);
    return true;
  }

  /** Adds the next posting with a bound above the rank; false when none is left. */
  addBoundsAbove(rank: number): boolean {
    while (this.#next < this.#count) {
      const place = this.#next;
      this.#next += 1;
      const top = this.#topBounds[place] ?? 0;
      if (top <= rank) continue;
      // It is not added again when those are gone through anew.
      this.#topBounds[place] = 0;
      this.bounds.addFrom(
        this.#terms[place] ?? unkeyed,
        top,
        this.#addresses[place] ?? 0,
        this.#lengths[place] ?? 0,
      );
      return true;
    }
    return false;
  }

  /**
   * Notes what the first records by bound can rank, of those postings that reach above every bid: nearly always the winner
   * does.
   */
  readTopCandidates(requestSignature: RequestSignature, missed: Uint8Array): void {
    this.#topCount = 0;
    if (this.#set === null) return;
    const { memory } = this.#set;
    let highestBid = 0;
    for (let place = 0; place < this.#count; place += 1) {
      highestBid = Math.max(highestBid, this.#topBids[place] ?? 0);
    }
    const lowest = reachOf(highestBid);
    for (let place = 0; place < this.#count; place += 1) {
      if ((this.#topBounds[place] ?? 0) < highestBid) continue;
      const address = this.#addresses[place] ?? 0;
      const numbers = memory.chunkOf(address);
      const at = placeOf(address);
      this.#topRecords[this.#topCount] = numbers[at + 1] ?? 0;
      this.#topReaches[this.#topCount] = reachAbove(numbers, at, requestSignature, missed, lowest);
      this.#topCount += 1;
    }
  }

  /** Takes the record among those heads that can rank highest; −1 when none reaches more. */
  takeTop(reach: number): number {
    const place = highestOf(this.#topReaches, this.#topCount, reach);
    if (place < 0) return -1;
    this.#topReaches[place] = 0;
    return this.#topRecords[place] ?? -1;
  }

  /** Forgets postings with no bound as high as `lowest`: nobody has to go through them again. */
  dropBelow(lowest: number): void {
    let kept = 0;
    for (let place = 0; place < this.#count; place += 1) {
      const top = this.#topBounds[place] ?? 0;
      if (top < lowest) continue;
      this.#terms[kept] = this.#terms[place] ?? 0;
      this.#topBids[kept] = this.#topBids[place] ?? 0;
      this.#topBounds[kept] = top;
      this.#addresses[kept] = this.#addresses[place] ?? 0;
      this.#lengths[kept] = this.#lengths[place] ?? 0;
      kept += 1;
    }
    this.#count = kept;
    this.#next = 0;
  }

  /** `addBoundsAbove` goes through all of them again. */
  rewind(): void {
    this.#next = 0;
  }

  /** Adds the postings of all satisfied affinities. */
  addAffinities({ activeTerms, activeTermCount }: Terms): void {
    const { affinities } = this.#set ?? { affinities: [] };
    for (let place = 0; place < activeTermCount; place += 1) {
      const term = activeTerms[place] ?? 0;
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
}

/** Where the highest of the first `count` values stands; −1 when none is above `least`, or above 0. */
function highestOf(values: readonly number[], count: number, least: number): number {
  let best = -1;
  let highest = Math.max(least, 0);
  for (let place = 0; place < count; place += 1) {
    const value = values[place] ?? 0;
    if (value <= highest) continue;
    highest = value;
    best = place;
  }
  return best;
}
