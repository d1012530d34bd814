import { type Arena, offsetOf, wholeLength } from "../storage/arena.ts";

/** A block of the arena, the number of its used numbers, and the number of its entries. */
interface Block {
  address: number;
  length: number;
  count: number;
}

/** In numbers; a longer block is split. */
const maxBlockLength = 2_048;
/** Numbers per entry of a `PostingList`, and of a `BidPostingList`. */
export const affinityLength = 2;
export const bidLength = 4;
const noBlocks: Block[] = [];

/**
 * A posting list: records in descending order of a value, equal ones in ascending order of the record. An entry begins
 * with the value and the record. Entries are stored in blocks of an arena, so that a change moves at most one block. Most
 * posting lists are short: one block and this object.
 */
export abstract class SortedPostingList {
  size = 0;
  readonly #memory: Arena;
  /** The first block, inlined; its length is 0 when there is none. */
  #address = 0;
  #length = 0;
  #count = 0;
  /** The blocks after the first. */
  #further = noBlocks;

  constructor(memory: Arena) {
    this.#memory = memory;
  }

  /** The length of the entry at this offset. */
  protected abstract lengthAt(numbers: Int32Array, at: number): number;

  get blockCount(): number {
    return this.#length === 0 ? 0 : 1 + this.#further.length;
  }

  /** The chunk that contains a block; the block is in [`startAt`, `endAt`). */
  numbersAt(block: number): Int32Array {
    return this.#memory.chunkOf(this.addressAt(block));
  }

  startAt(block: number): number {
    return offsetOf(this.addressAt(block));
  }

  endAt(block: number): number {
    return this.startAt(block) + this.lengthOf(block);
  }

  addressAt(block: number): number {
    return block === 0 ? this.#address : (this.#further[block - 1]?.address ?? 0);
  }

  lengthOf(block: number): number {
    return block === 0 ? this.#length : (this.#further[block - 1]?.length ?? 0);
  }

  /** The highest value; 0 when the list is empty. */
  get top(): number {
    return this.size === 0 ? 0 : (this.numbersAt(0)[this.startAt(0)] ?? 0);
  }

  /** The record with the highest value; −1 when the list is empty. */
  get topRecord(): number {
    return this.size === 0 ? -1 : (this.numbersAt(0)[this.startAt(0) + 1] ?? -1);
  }

  /** Throws when the list has the record with this value already. */
  insert(entry: readonly number[]): void {
    const [value = 0, record = 0] = entry;
    const block = Math.max(this.#blockOf(value, record), 0);
    const offset = this.size === 0 ? 0 : this.#offsetIn(block, value, record) - this.startAt(block);
    const end = this.lengthOf(block);
    if (offset < end && this.#isAt(block, offset, value, record))
      throw new Error("the posting list has the record already");
    this.#resize(block, end + entry.length);
    const start = this.startAt(block);
    const numbers = this.numbersAt(block);
    numbers.copyWithin(start + offset + entry.length, start + offset, start + end);
    numbers.set(entry, start + offset);
    this.size += 1;
    this.#addCount(block, 1);
    if (end + entry.length > maxBlockLength) this.#split(block);
  }

  /** Throws when the list does not have the record with this value. */
  remove(value: number, record: number): void {
    const block = this.#blockOf(value, record);
    const offset = block < 0 ? 0 : this.#offsetIn(block, value, record) - this.startAt(block);
    if (block < 0 || offset >= this.lengthOf(block) || !this.#isAt(block, offset, value, record)) {
      throw new Error("the posting list does not have the record");
    }
    const numbers = this.numbersAt(block);
    const at = this.startAt(block) + offset;
    const length = this.lengthAt(numbers, at);
    numbers.copyWithin(at, at + length, this.endAt(block));
    this.size -= 1;
    this.#addCount(block, -1);
    this.#resize(block, this.lengthOf(block) - length);
    if (this.lengthOf(block) === 0) this.#drop(block);
  }

  /** Number of entries with at least this value. */
  countFrom(value: number): number {
    const last = this.#blockOf(value, Number.POSITIVE_INFINITY);
    if (last < 0) return 0;
    let count = 0;
    for (let before = 0; before < last; before += 1) count += this.#countOf(before);
    const numbers = this.numbersAt(last);
    const end = this.endAt(last);
    for (let at = this.startAt(last); at < end; at += this.lengthAt(numbers, at)) {
      if ((numbers[at] ?? 0) < value) break;
      count += 1;
    }
    return count;
  }

  /** The record at an index from the top; −1 past the end. */
  recordAt(index: number): number {
    let remaining = index;
    for (let block = 0; block < this.blockCount; block += 1) {
      const count = this.#countOf(block);
      if (remaining >= count) {
        remaining -= count;
        continue;
      }
      const numbers = this.numbersAt(block);
      let at = this.startAt(block);
      for (; remaining > 0; remaining -= 1) at += this.lengthAt(numbers, at);
      return numbers[at + 1] ?? -1;
    }
    return -1;
  }

  /** The last block that does not begin after the entry; −1 when all do. */
  #blockOf(value: number, record: number): number {
    let low = 0;
    let high = this.blockCount;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const numbers = this.numbersAt(middle);
      const start = this.startAt(middle);
      if (isBefore(value, record, numbers[start] ?? 0, numbers[start + 1] ?? 0)) high = middle;
      else low = middle + 1;
    }
    return low - 1;
  }

  /** The offset of the entry in the chunk, or where it would be inserted. */
  #offsetIn(block: number, value: number, record: number): number {
    const numbers = this.numbersAt(block);
    const end = this.endAt(block);
    let at = this.startAt(block);
    while (at < end && isBefore(numbers[at] ?? 0, numbers[at + 1] ?? 0, value, record)) {
      at += this.lengthAt(numbers, at);
    }
    return at;
  }

  #isAt(block: number, offset: number, value: number, record: number): boolean {
    const numbers = this.numbersAt(block);
    const at = this.startAt(block) + offset;
    return numbers[at] === value && numbers[at + 1] === record;
  }

  #countOf(block: number): number {
    return block === 0 ? this.#count : (this.#further[block - 1]?.count ?? 0);
  }

  #addCount(block: number, more: number): void {
    const further = this.#further[block - 1];
    if (further === undefined) this.#count += more;
    else further.count += more;
  }

  #setBlock(block: number, address: number, length: number): void {
    const further = this.#further[block - 1];
    if (further === undefined) {
      this.#address = address;
      this.#length = length;
    } else {
      further.address = address;
      further.length = length;
    }
  }

  /** Keeps the numbers that fit. */
  #resize(block: number, length: number): void {
    const before = this.lengthOf(block);
    const known = this.addressAt(block);
    const isSame = wholeLength(before) === wholeLength(length);
    const address = isSame ? known : length === 0 ? 0 : this.#memory.allocate(length);
    if (before > 0 && !isSame) {
      const kept = Math.min(before, length);
      const from = offsetOf(known);
      this.#memory
        .chunkOf(address)
        .set(this.#memory.chunkOf(known).subarray(from, from + kept), offsetOf(address));
      this.#memory.free(known, before);
    }
    this.#setBlock(block, address, length);
  }

  #drop(block: number): void {
    if (block > 0) {
      this.#further.splice(block - 1, 1);
      return;
    }
    const next = this.#further.shift();
    if (next === undefined) return;
    this.#setBlock(0, next.address, next.length);
    this.#count = next.count;
  }

  #split(block: number): void {
    const numbers = this.numbersAt(block);
    const start = this.startAt(block);
    const end = this.endAt(block);
    let middle = start;
    let kept = 0;
    for (; middle < (start + end) / 2; kept += 1) middle += this.lengthAt(numbers, middle);
    const moved = numbers.slice(middle, end);
    const address = this.#memory.allocate(moved.length);
    this.#memory.chunkOf(address).set(moved, offsetOf(address));
    const count = this.#countOf(block) - kept;
    this.#resize(block, middle - start);
    this.#addCount(block, -count);
    if (this.#further === noBlocks) this.#further = [];
    this.#further.splice(block, 0, { address, length: moved.length, count });
  }
}

/** Entries consist of a value and a record. */
export class PostingList extends SortedPostingList {
  protected lengthAt(): number {
    return affinityLength;
  }
}

/** Entries consist of a bid, a record, and its campaign signature in two numbers (signature.ts). */
export class BidPostingList extends SortedPostingList {
  protected lengthAt(): number {
    return bidLength;
  }
}

function isBefore(value: number, record: number, otherValue: number, otherRecord: number): boolean {
  return value > otherValue || (value === otherValue && record < otherRecord);
}
