import { type Arena, placeOf, wholeLength } from "../storage/arena.ts";

/** A piece of the memory, how many numbers of it are used, and how many entries those are. */
interface Block {
  address: number;
  length: number;
  count: number;
}

/** Numbers of a block; a longer one is split. */
const maxBlockLength = 2_048;
/** Numbers of an entry of a `Posting`, and of a `BidPosting`. */
export const affinityLength = 2;
export const bidLength = 4;
const noBlocks: Block[] = [];

/**
 * Records in descending order of a value, equal ones in ascending order of the record. An entry begins with the value and
 * the record. The entries stand in blocks of shared memory, so that a change moves no more than a block however many
 * records there are; most postings are short, have one block, and cost no more than that and this object.
 */
export abstract class SortedPosting {
  size = 0;
  readonly #memory: Arena;
  /** The first block, as in `Block`; its length is 0 when there is none. */
  #address = 0;
  #length = 0;
  #count = 0;
  /** The blocks behind it. */
  #further = noBlocks;

  constructor(memory: Arena) {
    this.#memory = memory;
  }

  /** How many numbers the entry at this place has. */
  protected abstract lengthAt(numbers: Int32Array, place: number): number;

  get blockCount(): number {
    return this.#length === 0 ? 0 : 1 + this.#further.length;
  }

  /** The numbers of a block, from `startAt` up to `endAt`. */
  numbersAt(block: number): Int32Array {
    return this.#memory.chunkOf(this.addressAt(block));
  }

  startAt(block: number): number {
    return placeOf(this.addressAt(block));
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

  /** The highest value; 0 when there is no entry. */
  get top(): number {
    return this.size === 0 ? 0 : (this.numbersAt(0)[this.startAt(0)] ?? 0);
  }

  /** The record at the top; −1 when there is none. */
  get topRecord(): number {
    return this.size === 0 ? -1 : (this.numbersAt(0)[this.startAt(0) + 1] ?? -1);
  }

  /** Throws when the record stands there with the same value already. */
  insert(entry: readonly number[]): void {
    const [value = 0, record = 0] = entry;
    const block = Math.max(this.#blockOf(value, record), 0);
    const offset = this.size === 0 ? 0 : this.#placeIn(block, value, record) - this.startAt(block);
    const end = this.lengthOf(block);
    if (offset < end && this.#isAt(block, offset, value, record)) throw new Error("posted twice");
    this.#resize(block, end + entry.length);
    const start = this.startAt(block);
    const numbers = this.numbersAt(block);
    numbers.copyWithin(start + offset + entry.length, start + offset, start + end);
    numbers.set(entry, start + offset);
    this.size += 1;
    this.#addCount(block, 1);
    if (end + entry.length > maxBlockLength) this.#split(block);
  }

  /** Throws when the record does not stand there with this value. */
  remove(value: number, record: number): void {
    const block = this.#blockOf(value, record);
    const offset = block < 0 ? 0 : this.#placeIn(block, value, record) - this.startAt(block);
    if (block < 0 || offset >= this.lengthOf(block) || !this.#isAt(block, offset, value, record)) {
      throw new Error("not posted");
    }
    const numbers = this.numbersAt(block);
    const place = this.startAt(block) + offset;
    const length = this.lengthAt(numbers, place);
    numbers.copyWithin(place, place + length, this.endAt(block));
    this.size -= 1;
    this.#addCount(block, -1);
    this.#resize(block, this.lengthOf(block) - length);
    if (this.lengthOf(block) === 0) this.#drop(block);
  }

  /** How many have at least this value. */
  countFrom(value: number): number {
    const last = this.#blockOf(value, Number.POSITIVE_INFINITY);
    if (last < 0) return 0;
    let count = 0;
    for (let before = 0; before < last; before += 1) count += this.#countOf(before);
    const numbers = this.numbersAt(last);
    const end = this.endAt(last);
    for (let place = this.startAt(last); place < end; place += this.lengthAt(numbers, place)) {
      if ((numbers[place] ?? 0) < value) break;
      count += 1;
    }
    return count;
  }

  /** The record at a place from the top; −1 past the end. */
  recordAt(number: number): number {
    let left = number;
    for (let block = 0; block < this.blockCount; block += 1) {
      const count = this.#countOf(block);
      if (left >= count) {
        left -= count;
        continue;
      }
      const numbers = this.numbersAt(block);
      let place = this.startAt(block);
      for (; left > 0; left -= 1) place += this.lengthAt(numbers, place);
      return numbers[place + 1] ?? -1;
    }
    return -1;
  }

  /** The last block that does not begin behind the entry; −1 when all do. */
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

  /** Where the entry stands or would stand. */
  #placeIn(block: number, value: number, record: number): number {
    const numbers = this.numbersAt(block);
    const end = this.endAt(block);
    let place = this.startAt(block);
    while (place < end && isBefore(numbers[place] ?? 0, numbers[place + 1] ?? 0, value, record)) {
      place += this.lengthAt(numbers, place);
    }
    return place;
  }

  #isAt(block: number, offset: number, value: number, record: number): boolean {
    const numbers = this.numbersAt(block);
    const place = this.startAt(block) + offset;
    return numbers[place] === value && numbers[place + 1] === record;
  }

  #countOf(block: number): number {
    return block === 0 ? this.#count : (this.#further[block - 1]?.count ?? 0);
  }

  #addCount(block: number, more: number): void {
    const further = this.#further[block - 1];
    if (further === undefined) this.#count += more;
    else further.count += more;
  }

  #place(block: number, address: number, length: number): void {
    const further = this.#further[block - 1];
    if (further === undefined) {
      this.#address = address;
      this.#length = length;
    } else {
      further.address = address;
      further.length = length;
    }
  }

  /** Keeps as many numbers as fit. */
  #resize(block: number, length: number): void {
    const before = this.lengthOf(block);
    const known = this.addressAt(block);
    const isSame = wholeLength(before) === wholeLength(length);
    const address = isSame ? known : length === 0 ? 0 : this.#memory.take(length);
    if (before > 0 && !isSame) {
      const kept = Math.min(before, length);
      const from = placeOf(known);
      this.#memory
        .chunkOf(address)
        .set(this.#memory.chunkOf(known).subarray(from, from + kept), placeOf(address));
      this.#memory.give(known, before);
    }
    this.#place(block, address, length);
  }

  #drop(block: number): void {
    if (block > 0) {
      this.#further.splice(block - 1, 1);
      return;
    }
    const next = this.#further.shift();
    if (next === undefined) return;
    this.#place(0, next.address, next.length);
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
    const address = this.#memory.take(moved.length);
    this.#memory.chunkOf(address).set(moved, placeOf(address));
    const count = this.#countOf(block) - kept;
    this.#resize(block, middle - start);
    this.#addCount(block, -count);
    if (this.#further === noBlocks) this.#further = [];
    this.#further.splice(block, 0, { address, length: moved.length, count });
  }
}

/** Entries of nothing but a value and a record. */
export class Posting extends SortedPosting {
  protected lengthAt(): number {
    return affinityLength;
  }
}

/** Entries of a bid, a record, and what that asks for (signature.ts) in two numbers. */
export class BidPosting extends SortedPosting {
  protected lengthAt(): number {
    return bidLength;
  }
}

function isBefore(value: number, record: number, otherValue: number, otherRecord: number): boolean {
  return value > otherValue || (value === otherValue && record < otherRecord);
}
