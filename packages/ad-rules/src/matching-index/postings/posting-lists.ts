import { Arena, offsetOf, sizeClassLength } from "../storage/arena.ts";
import { entryLength } from "./entry.ts";

/**
 * What the table of lists has of each list: the bound of its first entry, the address of its entries, and their number.
 * All are 0 while the list is empty. A row fills a quarter of a cache line.
 */
export const head = { topBound: 0, address: 1, count: 2 } as const;
const rowLength = 4;
const firstCapacity = 4_096;

/** In place of a term: the list of records that require no term. */
export const unkeyed = -1;

/** The index of a list's row in the table. */
export function rowOf(term: number): number {
  return (term + 1) * rowLength;
}

/**
 * The posting lists by term. Each has entries (entry.ts) in descending order of their bound, equal ones in ascending order
 * of the record. The entries of a list are contiguous in an arena.
 */
export class PostingLists {
  readonly memory = new Arena();
  heads = new Int32Array(firstCapacity);

  countOf(term: number): number {
    return this.heads[rowOf(term) + head.count] ?? 0;
  }

  /** Throws when the list has the record with this bound already. */
  insert(term: number, entry: readonly number[]): void {
    const [bound = 0, record = 0] = entry;
    while (rowOf(term) >= this.heads.length) this.#growTable();
    const count = this.countOf(term);
    const index = this.#indexOf(term, bound, record);
    if (this.#isAt(term, index, bound, record)) throw new Error("the posting list has the record already");
    this.#resize(term, count + 1);
    const { numbers, start } = this.#entriesOf(term);
    const at = start + index * entryLength;
    numbers.copyWithin(at + entryLength, at, start + count * entryLength);
    numbers.set(entry, at);
    this.#updateTop(term);
  }

  /** Throws when the list does not have the record with this bound. */
  remove(term: number, bound: number, record: number): void {
    const index = this.#indexOf(term, bound, record);
    if (!this.#isAt(term, index, bound, record)) throw new Error("the posting list does not have the record");
    const count = this.countOf(term);
    const { numbers, start } = this.#entriesOf(term);
    const at = start + index * entryLength;
    numbers.copyWithin(at, at + entryLength, start + count * entryLength);
    this.#resize(term, count - 1);
    this.#updateTop(term);
  }

  /** The number of entries whose bound is at least `bound`, an integer. */
  countFrom(term: number, bound: number): number {
    return this.#indexOf(term, bound - 1, -1);
  }

  /** The record of an entry. */
  recordAt(term: number, index: number): number {
    const { numbers, start } = this.#entriesOf(term);
    return numbers[start + index * entryLength + 1] ?? 0;
  }

  /** The index of the entry, or where it would be inserted. */
  #indexOf(term: number, bound: number, record: number): number {
    let low = 0;
    let high = this.countOf(term);
    if (high === 0) return 0;
    const { numbers, start } = this.#entriesOf(term);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = start + middle * entryLength;
      const other = numbers[at] ?? 0;
      if (other > bound || (other === bound && (numbers[at + 1] ?? 0) < record)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isAt(term: number, index: number, bound: number, record: number): boolean {
    if (index >= this.countOf(term)) return false;
    const { numbers, start } = this.#entriesOf(term);
    const at = start + index * entryLength;
    return numbers[at] === bound && numbers[at + 1] === record;
  }

  #entriesOf(term: number) {
    const address = this.heads[rowOf(term) + head.address] ?? 0;
    return { numbers: this.memory.chunkOf(address), start: offsetOf(address) };
  }

  #updateTop(term: number): void {
    const { numbers, start } = this.#entriesOf(term);
    this.heads[rowOf(term) + head.topBound] = this.countOf(term) === 0 ? 0 : (numbers[start] ?? 0);
  }

  /** Changes the number of entries; keeps those that remain. */
  #resize(term: number, count: number): void {
    const row = rowOf(term);
    const [before, after] = [this.countOf(term) * entryLength, count * entryLength];
    this.heads[row + head.count] = count;
    if (sizeClassLength(before) === sizeClassLength(after)) return;
    const known = this.heads[row + head.address] ?? 0;
    const address = after === 0 ? 0 : this.memory.allocate(after);
    this.heads[row + head.address] = address;
    if (before === 0) return;
    const from = offsetOf(known);
    const kept = this.memory.chunkOf(known).subarray(from, from + Math.min(before, after));
    this.memory.chunkOf(address).set(kept, offsetOf(address));
    this.memory.free(known, before);
  }

  #growTable(): void {
    const longer = new Int32Array(this.heads.length * 2);
    longer.set(this.heads);
    this.heads = longer;
  }
}
