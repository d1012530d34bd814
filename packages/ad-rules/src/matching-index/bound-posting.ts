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
export function lengthAt(block: readonly number[], place: number): number {
  return header + ((block[place + 2] ?? 0) & countMask);
}

/** False if the entry ranks lower where these flags are up (effects.ts, `level`). */
export function mayReach(
  block: readonly number[],
  place: number,
  flags: Uint8Array,
  lowestRank: number,
): boolean {
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

/** Records in descending order of their bound, equal ones in ascending order of the record; cut into blocks as `Posting`. */
export class BoundPosting {
  readonly blocks: number[][] = [];
  /** By block: how many entries it has. */
  readonly #counts: number[] = [];
  size = 0;

  insert(entry: readonly number[]): void {
    const [bound = 0, record = 0] = entry;
    const number = Math.max(this.#blockOf(bound, record), 0);
    const block = this.blocks[number];
    this.size += 1;
    if (block === undefined) {
      this.blocks.push([...entry]);
      this.#counts.push(1);
      return;
    }
    block.splice(placeIn(block, bound, record), 0, ...entry);
    this.#counts[number] = (this.#counts[number] ?? 0) + 1;
    if (block.length <= longestBlock) return;
    const second = block.splice(middleOf(block));
    this.blocks.splice(number + 1, 0, second);
    this.#counts.splice(number, 1, countIn(block), countIn(second));
  }

  /** Throws when the record does not stand there with this bound. */
  remove(bound: number, record: number): void {
    const number = this.#blockOf(bound, record);
    const block = this.blocks[number];
    const place = block === undefined ? 0 : placeIn(block, bound, record);
    if (block === undefined || block[place] !== bound || block[place + 1] !== record) {
      throw new Error("not posted");
    }
    this.size -= 1;
    block.splice(place, lengthAt(block, place));
    this.#counts[number] = (this.#counts[number] ?? 0) - 1;
    if (block.length > 0) return;
    this.blocks.splice(number, 1);
    this.#counts.splice(number, 1);
  }

  /** How many have at least this bound. */
  countFrom(bound: number): number {
    const last = this.#blockOf(bound, Number.POSITIVE_INFINITY);
    const block = this.blocks[last] ?? [];
    let count = 0;
    for (let before = 0; before < last; before += 1) count += this.#counts[before] ?? 0;
    for (let place = 0; place < block.length; place += lengthAt(block, place)) {
      if ((block[place] ?? 0) < bound) break;
      count += 1;
    }
    return count;
  }

  /** The record at a place from the top; −1 past the end. */
  recordAt(number: number): number {
    let left = number;
    for (const [at, block] of this.blocks.entries()) {
      const count = this.#counts[at] ?? 0;
      if (left >= count) {
        left -= count;
        continue;
      }
      let place = 0;
      for (; left > 0; left -= 1) place += lengthAt(block, place);
      return block[place + 1] ?? -1;
    }
    return -1;
  }

  /** The last block that does not begin behind the entry; −1 when all do. */
  #blockOf(bound: number, record: number): number {
    let low = 0;
    let high = this.blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const block = this.blocks[middle];
      if (block !== undefined && isBefore(bound, record, block[0] ?? 0, block[1] ?? 0)) high = middle;
      else low = middle + 1;
    }
    return low - 1;
  }
}

/** Where the entry stands or would stand. */
function placeIn(block: readonly number[], bound: number, record: number): number {
  let place = 0;
  while (place < block.length && isBefore(block[place] ?? 0, block[place + 1] ?? 0, bound, record)) {
    place += lengthAt(block, place);
  }
  return place;
}

function countIn(block: readonly number[]): number {
  let count = 0;
  for (let place = 0; place < block.length; place += lengthAt(block, place)) count += 1;
  return count;
}

function middleOf(block: readonly number[]): number {
  let place = 0;
  while (place < block.length / 2) place += lengthAt(block, place);
  return place;
}

function isBefore(bound: number, record: number, otherBound: number, otherRecord: number): boolean {
  return bound > otherBound || (bound === otherBound && record < otherRecord);
}
