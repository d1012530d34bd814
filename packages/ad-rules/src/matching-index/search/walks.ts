import type { RequestSignature } from "../dictionary/signature.ts";
import type { Terms } from "../dictionary/terms.ts";
import { type BoundPostingList, reachAbove, reachOf } from "../postings/bound-posting-list.ts";
import type { BidPostingList, PostingList, SortedPostingList } from "../postings/posting-list.ts";
import { head, headLength, type PostingSet } from "../postings/posting-set.ts";
import { offsetOf } from "../storage/arena.ts";

/** In place of a term: the posting lists of records that require no term. */
const unkeyed = -1;

/** Cursors on posting lists. */
export class Walks<Kind extends SortedPostingList> {
  readonly blocks: number[] = [];
  readonly offsets: number[] = [];
  count = 0;
  readonly #terms: number[] = [];
  readonly #postingOf: (term: number) => Kind;

  constructor(postingOf: (term: number) => Kind) {
    this.#postingOf = postingOf;
  }

  add(term: number): void {
    this.#terms[this.count] = term;
    this.blocks[this.count] = 0;
    this.offsets[this.count] = 0;
    this.count += 1;
  }

  postingAt(walk: number): Kind {
    return this.#postingOf(this.#terms[walk] ?? unkeyed);
  }

  restart(): void {
    for (let walk = 0; walk < this.count; walk += 1) {
      this.blocks[walk] = 0;
      this.offsets[walk] = 0;
    }
  }

  clear(): void {
    this.count = 0;
  }

  /** Number of entries with at least this value. */
  countFrom(value: number): number {
    let count = 0;
    for (let walk = 0; walk < this.count; walk += 1) count += this.postingAt(walk).countFrom(value);
    return count;
  }

  /** The record at an index among the entries with at least the value, over all lists; −1 past the end. */
  recordAt(index: number, value: number): number {
    let remaining = index;
    for (let walk = 0; walk < this.count; walk += 1) {
      const posting = this.postingAt(walk);
      const count = posting.countFrom(value);
      if (remaining < count) return posting.recordAt(remaining);
      remaining -= count;
    }
    return -1;
  }
}

/** Cursors on posting lists by bound. They hold the first block's address, because most searches need no other block. */
export class BoundWalks extends Walks<BoundPostingList> {
  /** The chunk of the block that was entered last; the block is in [`start`, `end`). */
  numbers: Int32Array = new Int32Array(0);
  start = 0;
  end = 0;
  /** By walk: upper bound of the remaining entries. */
  readonly topBounds: number[] = [];
  readonly #addresses: number[] = [];
  /** Negative when there are more blocks. */
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

  /** Enters a block; returns false when there is none. */
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
    this.start = offsetOf(address);
    this.end = this.start + Math.abs(length);
    return true;
  }
}

/** The posting lists of the active terms, and the cursors of a search on them. */
export class ActivePostingLists {
  readonly bids = new Walks<BidPostingList>((term) => this.#keyOf(term).byBid);
  readonly bounds = new BoundWalks((term) => this.#keyOf(term).byBound);
  readonly affinities = new Walks<PostingList>((term) => this.#affinityOf(term));
  /** The terms of the active key lists with their heads (posting-set.ts); only the first `#count` entries are valid. */
  readonly #terms: number[] = [];
  readonly #topBids: number[] = [];
  readonly #topBounds: number[] = [];
  readonly #addresses: number[] = [];
  readonly #lengths: number[] = [];
  #count = 0;
  /** The index at which `addBoundsAbove` continues. */
  #next = 0;
  /** Records and their reaches, from `readTopCandidates`. */
  readonly #topRecords: number[] = [];
  readonly #topReaches: number[] = [];
  #topCount = 0;
  #set: PostingSet | null = null;

  /** Number of posting lists added to the walks. */
  get walkCount(): number {
    return this.bids.count + this.bounds.count + this.affinities.count;
  }

  /** Starts with the active key lists of a set. */
  open(set: PostingSet, { activeKeys, activeKeyCount }: Terms): void {
    this.clear();
    this.#set = set;
    this.bounds.open(set);
    const { heads } = set;
    for (let index = 0; index < activeKeyCount; index += 1) {
      const term = activeKeys[index] ?? 0;
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

  /** Moves all cursors to the start. */
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

  /** Adds the list with the highest remaining bid, if that is above the rank; returns whether it did. */
  addBidsAbove(rank: number): boolean {
    const index = highestOf(this.#topBids, this.#count, rank);
    if (index < 0) return false;
    this.#topBids[index] = 0;
    this.bids.add(this.#terms[index] ?? unkeyed);
    return true;
  }

  /** Adds the next list with a bound above the rank; returns false when none is left. */
  addBoundsAbove(rank: number): boolean {
    while (this.#next < this.#count) {
      const index = this.#next;
      this.#next += 1;
      const top = this.#topBounds[index] ?? 0;
      if (top <= rank) continue;
      // So that it is not added again after `rewind`.
      this.#topBounds[index] = 0;
      this.bounds.addFrom(
        this.#terms[index] ?? unkeyed,
        top,
        this.#addresses[index] ?? 0,
        this.#lengths[index] ?? 0,
      );
      return true;
    }
    return false;
  }

  /**
   * Computes the reaches of the first records by bound, of the lists whose highest bound is at least the highest bid. The
   * winner is nearly always in such a list.
   */
  readTopCandidates(requestSignature: RequestSignature, missed: Uint8Array): void {
    this.#topCount = 0;
    if (this.#set === null) return;
    const { memory } = this.#set;
    let highestBid = 0;
    for (let index = 0; index < this.#count; index += 1) {
      highestBid = Math.max(highestBid, this.#topBids[index] ?? 0);
    }
    const lowest = reachOf(highestBid);
    for (let index = 0; index < this.#count; index += 1) {
      if ((this.#topBounds[index] ?? 0) < highestBid) continue;
      const address = this.#addresses[index] ?? 0;
      const numbers = memory.chunkOf(address);
      const at = offsetOf(address);
      this.#topRecords[this.#topCount] = numbers[at + 1] ?? 0;
      this.#topReaches[this.#topCount] = reachAbove(numbers, at, requestSignature, missed, lowest);
      this.#topCount += 1;
    }
  }

  /** Takes the head with the highest reach; returns −1 when none is above `reach`. */
  takeTop(reach: number): number {
    const index = highestOf(this.#topReaches, this.#topCount, reach);
    if (index < 0) return -1;
    this.#topReaches[index] = 0;
    return this.#topRecords[index] ?? -1;
  }

  /** Drops lists whose highest bound is below `lowest`, and rewinds. */
  dropBelow(lowest: number): void {
    let kept = 0;
    for (let index = 0; index < this.#count; index += 1) {
      const top = this.#topBounds[index] ?? 0;
      if (top < lowest) continue;
      this.#terms[kept] = this.#terms[index] ?? 0;
      this.#topBids[kept] = this.#topBids[index] ?? 0;
      this.#topBounds[kept] = top;
      this.#addresses[kept] = this.#addresses[index] ?? 0;
      this.#lengths[kept] = this.#lengths[index] ?? 0;
      kept += 1;
    }
    this.#count = kept;
    this.#next = 0;
  }

  /** Lets `addBoundsAbove` start over. */
  rewind(): void {
    this.#next = 0;
  }

  /** Adds the lists of all satisfied affinities. */
  addAffinities({ activeTerms, activeTermCount }: Terms): void {
    const { affinities } = this.#set ?? { affinities: [] };
    for (let index = 0; index < activeTermCount; index += 1) {
      const term = activeTerms[index] ?? 0;
      if (term < affinities.length && affinities[term] !== undefined) this.affinities.add(term);
    }
  }

  #keyOf(term: number) {
    const key = term === unkeyed ? this.#set?.unkeyed : this.#set?.keys[term];
    if (key === undefined) throw new Error(`no key posting list for term ${term}`);
    return key;
  }

  #affinityOf(term: number): PostingList {
    const posting = this.#set?.affinities[term];
    if (posting === undefined) throw new Error(`no affinity posting list for term ${term}`);
    return posting;
  }
}

/** The index of the highest of the first `count` values; −1 when none is above `threshold` and above 0. */
function highestOf(values: readonly number[], count: number, threshold: number): number {
  let best = -1;
  let highest = Math.max(threshold, 0);
  for (let index = 0; index < count; index += 1) {
    const value = values[index] ?? 0;
    if (value <= highest) continue;
    highest = value;
    best = index;
  }
  return best;
}
