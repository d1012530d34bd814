import { level } from "./effects.ts";
import { SortedPosting } from "./posting.ts";

/**
 * An entry: bound; record; what the record asks for (asked.ts); bid and number of affinities in one number; the sum of
 * their weights; then each affinity's term and weight in one, the heaviest first. How high a record can rank in a request
 * is read from the posting itself, mostly from its first numbers: what most records miss of their heaviest affinity is more
 * than they may.
 */
const header = 5;
const countBits = 6;
const countMask = (1 << countBits) - 1;
const weightBits = 12;
const weightMask = (1 << weightBits) - 1;
const mostTerms = 1 << (31 - weightBits);
const highestBid = 1 << (31 - countBits);
const thousandths = 1_000;
/** In ranks, far above any rounding. */
const slack = 1e-3;

/** What an entry is made of. */
export interface BoundEntry {
  bound: number;
  record: number;
  asked: number;
  bidCents: number;
  terms: Int32Array;
  weights: Float64Array;
}

/** An entry for `BoundPosting`. Of what cannot be packed the affinities are left out: then it is never said to rank lower. */
export function entryOf({ bound, record, asked, bidCents, terms, weights }: BoundEntry): number[] {
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
  if (!fits) return [bound, record, asked, 0, 0];
  affinities.sort((left, right) => right.weight - left.weight);
  return [
    bound,
    record,
    asked,
    (bidCents << countBits) | affinities.length,
    Math.ceil(sum * thousandths - 1e-9),
    ...affinities.map(({ term, weight }) => term * (1 << weightBits) + weight),
  ];
}

/** How many numbers the entry at this place has. */
export function lengthAt(block: Int32Array, place: number): number {
  return header + ((block[place + 3] ?? 0) & countMask);
}

/** What an entry's record asks for. */
export function askedAt(block: Int32Array, place: number): number {
  return block[place + 2] ?? 0;
}

/** False if the entry ranks lower where these flags are up (effects.ts, `level`). */
export function mayReach(block: Int32Array, place: number, flags: Uint8Array, lowestRank: number): boolean {
  const bidAndCount = block[place + 3] ?? 0;
  const bid = bidAndCount >>> countBits;
  if (bid === 0) return true;
  // Halves of thousandths of weights are whole numbers.
  const needed = (lowestRank - slack) * (thousandths * level.full);
  let most = (thousandths + (block[place + 4] ?? 0)) * level.full;
  const end = place + header + (bidAndCount & countMask);
  for (let at = place + header; at < end && bid * most >= needed; at += 1) {
    const packed = block[at] ?? 0;
    most -= (packed & weightMask) * (level.full - (flags[packed >>> weightBits] ?? 0));
  }
  return bid * most >= needed;
}

/** By the highest rank that a record can reach. */
export class BoundPosting extends SortedPosting {
  protected lengthAt(numbers: Int32Array, place: number): number {
    return lengthAt(numbers, place);
  }
}
