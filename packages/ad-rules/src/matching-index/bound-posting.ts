import { type Arena, placeOf, wholeLength } from "./arena.ts";
import { level } from "./effects.ts";

/**
 * An entry: bound; record; bid and number of affinities in one number; the sum of their weights; then each affinity's term
 * and weight in one, the heaviest first. How high a record can rank in a request is read from the posting itself, mostly
 * from its first numbers: what most records miss of their heaviest affinity is more than they may.
 */
const header = 4;
const countBits = 6;
const countMask = (1 << countBits) - 1;
const weightBits = 12;
const weightMask = (1 << weightBits) - 1;
const mostTerms = 1 << (31 - weightBits);
const highestBid = 1 << (31 - countBits);
const thousandths = 1_000;
/** In the unit of a loss, far above any rounding. */
const slack = 1e-3;
/** Numbers of a block; a longer one is split. */
const longestBlock = 2_048;

/** An entry for `BoundPosting`. Of what cannot be packed the affinities are left out: then it is never said to rank lower. */
export function entryOf(
  bound: number,
  record: number,
  bidCents: number,
  terms: Int32Array,
  weights: Float64Array,
): number[] {
  const affinities: { term: number; weight: number }[] = [];
  let sum = 0;
  for (const [place, term] of terms.entries()) {
    const exact = weights[place] ?? 0;
    // A negative weight only lowers the rank.
    if (exact <= 0) continue;
    sum += exact;
    const weight = Math.floor(exact * thousandths + 1e-9);
    if (weight > 0) affinities.push({ term, weight });
  }
  const fits =
    affinities.length <= countMask &&
    bidCents < highestBid &&
    affinities.every(({ term, weight }) => term < mostTerms && weight <= weightMask);
  if (!fits) return [bound, record, 0, 0];
  affinities.sort((left, right) => right.weight - left.weight);
  return [
    bound,
    record,
    (bidCents << countBits) | affinities.length,
    Math.ceil(sum * thousandths - 1e-9),
    ...affinities.map(({ term, weight }) => term * (1 << weightBits) + weight),
  ];
}

/** How many numbers the entry at this place has. */
export function lengthAt(block: Int32Array, place: number): number {
  return header + ((block[place + 2] ?? 0) & countMask);
}

/** False if the entry ranks lower where these flags are up (effects.ts, `level`). */
export function mayReach(block: Int32Array, place: number, flags: Uint8Array, lowestRank: number): boolean {
  const bidAndCount = block[place + 2] ?? 0;
  const bid = bidAndCount >>> countBits;
  if (bid === 0) return true;
  const end = place + header + (bidAndCount & countMask);
  const needed = (lowestRank / bid - 1) * thousandths;
  // How much of its weights it may miss; halves are whole numbers so.
  let left = ((block[place + 3] ?? 0) - needed) * level.full + slack;
  for (let at = place + header; at < end; at += 1) {
    const packed = block[at] ?? 0;
    left -= (packed & weightMask) * (level.full - (flags[packed >>> weightBits] ?? 0));
    if (left < 0) return false;
  }
  return left >= 0;
}

/**
 * Records in descending order of their bound, equal ones in ascending order of the record. It is cut into blocks as
 * `Posting`; each is a piece of shared memory, so that its entries stand close together.
 */
export class BoundPosting {
  readonly #memory: Arena;
  /** By block: its address, how many numbers it has, and how many entries. */
  readonly #addresses: number[] = [];
  readonly #lengths: number[] = [];
  readonly #counts: number[] = [];
  size = 0;

  constructor(memory: Arena) {
    this.#memory = memory;
  }

  get blockCount(): number {
    return this.#addresses.length;
  }

  /** The numbers of a block, from `startAt` up to `endAt`. */
  numbersAt(block: number): Int32Array {
    return this.#memory.chunkOf(this.#addresses[block] ?? 0);
  }

  startAt(block: number): number {
    return placeOf(this.#addresses[block] ?? 0);
  }

  endAt(block: number): number {
    return this.startAt(block) + (this.#lengths[block] ?? 0);
  }

  /** The highest bound; 0 when there is no entry. */
  get top(): number {
    return this.size === 0 ? 0 : (this.numbersAt(0)[this.startAt(0)] ?? 0);
  }

  insert(entry: readonly number[]): void {
    const [bound = 0, record = 0] = entry;
    this.size += 1;
    if (this.blockCount === 0) {
      this.#addBlock(0, Int32Array.from(entry));
      return;
    }
    const block = Math.max(this.#blockOf(bound, record), 0);
    const offset = this.#placeIn(block, bound, record) - this.startAt(block);
    const end = this.#lengths[block] ?? 0;
    this.#resize(block, end + entry.length);
    const start = this.startAt(block);
    const numbers = this.numbersAt(block);
    numbers.copyWithin(start + offset + entry.length, start + offset, start + end);
    numbers.set(entry, start + offset);
    this.#counts[block] = (this.#counts[block] ?? 0) + 1;
    if (end + entry.length > longestBlock) this.#split(block);
  }

  /** Throws when the record does not stand there with this bound. */
  remove(bound: number, record: number): void {
    const block = this.#blockOf(bound, record);
    const place = block < 0 ? -1 : this.#placeIn(block, bound, record);
    const numbers = this.numbersAt(block);
    const end = this.endAt(block);
    if (place < 0 || place >= end || numbers[place] !== bound || numbers[place + 1] !== record) {
      throw new Error("not posted");
    }
    const length = lengthAt(numbers, place);
    this.size -= 1;
    numbers.copyWithin(place, place + length, end);
    this.#counts[block] = (this.#counts[block] ?? 0) - 1;
    const left = (this.#lengths[block] ?? 0) - length;
    if (left > 0) this.#resize(block, left);
    else this.#dropBlock(block);
  }

  /** How many have at least this bound. */
  countFrom(bound: number): number {
    const last = this.#blockOf(bound, Number.POSITIVE_INFINITY);
    if (last < 0) return 0;
    let count = 0;
    for (let before = 0; before < last; before += 1) count += this.#counts[before] ?? 0;
    const numbers = this.numbersAt(last);
    const end = this.endAt(last);
    for (let place = this.startAt(last); place < end; place += lengthAt(numbers, place)) {
      if ((numbers[place] ?? 0) < bound) break;
      count += 1;
    }
    return count;
  }

  /** The record at a place from the top; −1 past the end. */
  recordAt(number: number): number {
    let left = number;
    for (const [block, count] of this.#counts.entries()) {
      if (left >= count) {
        left -= count;
        continue;
      }
      const numbers = this.numbersAt(block);
      let place = this.startAt(block);
      for (; left > 0; left -= 1) place += lengthAt(numbers, place);
      return numbers[place + 1] ?? -1;
    }
    return -1;
  }

  /** The last block that does not begin behind the entry; −1 when all do. */
  #blockOf(bound: number, record: number): number {
    let low = 0;
    let high = this.blockCount;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const numbers = this.numbersAt(middle);
      const start = this.startAt(middle);
      if (isBefore(bound, record, numbers[start] ?? 0, numbers[start + 1] ?? 0)) high = middle;
      else low = middle + 1;
    }
    return low - 1;
  }

  /** Where the entry stands or would stand. */
  #placeIn(block: number, bound: number, record: number): number {
    const numbers = this.numbersAt(block);
    const end = this.endAt(block);
    let place = this.startAt(block);
    while (place < end && isBefore(numbers[place] ?? 0, numbers[place + 1] ?? 0, bound, record)) {
      place += lengthAt(numbers, place);
    }
    return place;
  }

  #addBlock(block: number, entries: Int32Array): void {
    const address = this.#memory.take(entries.length);
    this.#memory.chunkOf(address).set(entries, placeOf(address));
    this.#addresses.splice(block, 0, address);
    this.#lengths.splice(block, 0, entries.length);
    this.#counts.splice(block, 0, countIn(entries));
  }

  #dropBlock(block: number): void {
    this.#memory.give(this.#addresses[block] ?? 0, this.#lengths[block] ?? 0);
    this.#addresses.splice(block, 1);
    this.#lengths.splice(block, 1);
    this.#counts.splice(block, 1);
  }

  /** Keeps as many numbers as fit. */
  #resize(block: number, length: number): void {
    const before = this.#lengths[block] ?? 0;
    this.#lengths[block] = length;
    if (wholeLength(before) === wholeLength(length)) return;
    const start = this.startAt(block);
    const kept = this.numbersAt(block).subarray(start, start + Math.min(before, length));
    const address = this.#memory.take(length);
    this.#memory.chunkOf(address).set(kept, placeOf(address));
    this.#memory.give(this.#addresses[block] ?? 0, before);
    this.#addresses[block] = address;
  }

  #split(block: number): void {
    const entries = this.numbersAt(block).slice(this.startAt(block), this.endAt(block));
    let middle = 0;
    while (middle < entries.length / 2) middle += lengthAt(entries, middle);
    this.#resize(block, middle);
    this.#counts[block] = countIn(entries.subarray(0, middle));
    this.#addBlock(block + 1, entries.subarray(middle));
  }
}

function countIn(entries: Int32Array): number {
  let count = 0;
  for (let place = 0; place < entries.length; place += lengthAt(entries, place)) count += 1;
  return count;
}

function isBefore(bound: number, record: number, otherBound: number, otherRecord: number): boolean {
  return bound > otherBound || (bound === otherBound && record < otherRecord);
}
