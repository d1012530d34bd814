import type { RequestSignature } from "../dictionary/signature.ts";
import type { Terms } from "../dictionary/terms.ts";
import { entryLength, reachAbove, reachOf } from "../postings/entry.ts";
import { head, type PostingLists, rowOf, unkeyed } from "../postings/posting-lists.ts";
import { offsetOf } from "../storage/arena.ts";

/** The posting lists of a request's active terms. Only the first `count` entries of the arrays are valid. */
export class ActiveLists {
  count = 0;
  readonly terms: number[] = [];
  /** The highest bound of each list. */
  readonly topBounds: number[] = [];
  readonly #addresses: number[] = [];
  /** In numbers. */
  readonly #lengths: number[] = [];
  /** The entries of the list entered last: the chunk that contains them in [`start`, `end`). */
  numbers: Int32Array = new Int32Array(0);
  start = 0;
  end = 0;
  /** The heads that `takeTopCandidate` chooses from: lists and reaches. */
  readonly #candidateReaches: number[] = [];
  #lists: PostingLists | null = null;

  open(lists: PostingLists, { activeKeys, activeKeyCount }: Terms): void {
    this.clear();
    this.#lists = lists;
    this.#add(lists, unkeyed);
    for (let index = 0; index < activeKeyCount; index += 1) this.#add(lists, activeKeys[index] ?? unkeyed);
  }

  clear(): void {
    this.#lists = null;
    this.count = 0;
  }

  #add({ heads }: PostingLists, term: number): void {
    const row = rowOf(term);
    const count = heads[row + head.count] ?? 0;
    if (count === 0) return;
    this.terms[this.count] = term;
    this.topBounds[this.count] = heads[row + head.topBound] ?? 0;
    this.#addresses[this.count] = heads[row + head.address] ?? 0;
    this.#lengths[this.count] = count * entryLength;
    this.count += 1;
  }

  enter(list: number): void {
    if (this.#lists === null) return;
    const address = this.#addresses[list] ?? 0;
    this.numbers = this.#lists.memory.chunkOf(address);
    this.start = offsetOf(address);
    this.end = this.start + (this.#lengths[list] ?? 0);
  }

  /**
   * Computes the reaches of the first records of the lists. Leaves out lists whose highest bound is below half of the
   * highest of all: a rank is at least half of its bound.
   */
  readTopCandidates(requestSignature: RequestSignature, missed: Uint8Array): void {
    let highest = 0;
    for (let list = 0; list < this.count; list += 1) highest = Math.max(highest, this.topBounds[list] ?? 0);
    const lowest = reachOf(highest / 2);
    for (let list = 0; list < this.count; list += 1) {
      this.#candidateReaches[list] = 0;
      if ((this.topBounds[list] ?? 0) < highest / 2) continue;
      this.enter(list);
      this.#candidateReaches[list] = reachAbove(this.numbers, this.start, requestSignature, missed, lowest);
    }
  }

  /** Takes the first record with the highest reach; returns −1 when none is above `reach`. */
  takeTopCandidate(reach: number): number {
    let best = -1;
    let highest = reach;
    for (let list = 0; list < this.count; list += 1) {
      const other = this.#candidateReaches[list] ?? 0;
      if (other <= highest) continue;
      highest = other;
      best = list;
    }
    if (best < 0) return -1;
    this.#candidateReaches[best] = 0;
    this.enter(best);
    return this.numbers[this.start + 1] ?? -1;
  }

  /** The number of entries whose bound is at least `bound`, over all lists. */
  countFrom(bound: number): number {
    let count = 0;
    for (let list = 0; list < this.count; list += 1) count += this.#countIn(list, bound);
    return count;
  }

  /** The record at an index among these entries; −1 past the end. */
  recordAt(index: number, bound: number): number {
    let remaining = index;
    for (let list = 0; list < this.count; list += 1) {
      const count = this.#countIn(list, bound);
      if (remaining < count) return this.#lists?.recordAt(this.terms[list] ?? unkeyed, remaining) ?? -1;
      remaining -= count;
    }
    return -1;
  }

  #countIn(list: number, bound: number): number {
    if ((this.topBounds[list] ?? 0) < bound) return 0;
    return this.#lists?.countFrom(this.terms[list] ?? unkeyed, bound) ?? 0;
  }
}
