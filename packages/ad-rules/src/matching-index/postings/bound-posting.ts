import { bucketOf } from "../dictionary/buckets.ts";
import { fitness, type RequestSignature } from "../dictionary/signature.ts";
import { SortedPosting } from "./posting.ts";

/**
 * An entry: bound; record; what the record asks for, in two numbers (signature.ts), the first with the number of further pairs;
 * its bid, and 1 + score with all affinities satisfied; then affinities in pairs, the heaviest first, of each its bucket
 * (buckets.ts) and what missing half of it takes off the score. Two pairs are always there. Scores are counted in parts of
 * which a weight of one decimal is a whole number. So how high a record can rank in a request is read from the posting
 * itself, in most cases nearly exactly: what most records miss of their four heaviest affinities is more than they may.
 *
 * The rank is bid × (2 − 1 ÷ (1 + score)), so it reaches a rank where (2 × bid − rank) × (1 + score) is at least the bid:
 * whole numbers and no division, with ranks counted in parts of a cent.
 */
const reachAt = 4;
const pairsAt = 5;
/** So many affinities have a place in each entry, and are always read. */
const fixedAffinities = 4;
const fixedLength = pairsAt + fixedAffinities / 2;
const furtherShift = 29;
const maxFurther = 7;
const lossBits = 6;
const lossMask = (1 << lossBits) - 1;
const pairShift = 16;
const bucketMask = (1 << (pairShift - lossBits)) - 1;
/** Half of 0.1 is one of so many parts of 1. */
const partsOfOne = 20;
/** A rank is counted in so many parts of a cent. */
const partsOfCent = 16;
const sumBits = 12;
/** Of 1 + score, in parts. */
const maxSum = (1 << sumBits) - 1;
/** Twice the highest rank, in parts of a cent, times the highest sum: these have 31 bits. */
const maxBid = 16_000;
/** In parts of a score, far above any rounding and far below what a part of a cent is worth. */
const epsilon = 1e-9;
const maxReach = reachWith(maxBid, maxSum);

/** What an entry is made of. */
export interface BoundEntry {
  bound: number;
  record: number;
  signature: number;
  places: number;
  bidCents: number;
  terms: Int32Array;
  weights: Float64Array;
}

/** An entry for `BoundPosting`. Affinities that do not fit are left out: then it is said to rank higher than it may. */
export function entryOf({
  bound,
  record,
  signature,
  places,
  bidCents,
  terms,
  weights,
}: BoundEntry): number[] {
  // A negative weight only lowers the rank.
  const sum = weights.reduce((total, weight) => total + Math.max(weight, 0), 0);
  const onePlusScore = Math.ceil((1 + sum) * partsOfOne - epsilon);
  const fits = bidCents <= maxBid && onePlusScore <= maxSum;
  const packed: number[] = [];
  if (fits) {
    for (const [place, term] of terms.entries()) {
      const loss = Math.min(Math.floor(((weights[place] ?? 0) / 2) * partsOfOne + epsilon), lossMask);
      if (loss > 0) packed.push((bucketOf(term) << lossBits) | loss);
    }
    packed.sort((left, right) => (right & lossMask) - (left & lossMask));
    packed.splice(fixedAffinities + 2 * maxFurther);
  }
  while (packed.length < fixedAffinities || packed.length % 2 > 0) packed.push(0);
  const pairs: number[] = [];
  for (let place = 0; place < packed.length; place += 2) {
    pairs.push((packed[place] ?? 0) | ((packed[place + 1] ?? 0) << pairShift) | 0);
  }
  const further = pairs.length - fixedAffinities / 2;
  const reach = fits ? (bidCents << sumBits) | onePlusScore : (maxBid << sumBits) | maxSum;
  return [bound, record, signature | (further << furtherShift), places, reach, ...pairs];
}

/** How many numbers the entry at this place has. */
export function lengthAt(block: Int32Array, place: number): number {
  return fixedLength + ((block[place + 2] ?? 0) >>> furtherShift);
}

/** A rank as what `reachAbove` compares and returns; one part less, which is far above any rounding. */
export function reachOf(rank: number): number {
  return Math.min(Math.max(Math.floor(rank * partsOfCent) - 1, 0), maxReach) | 0;
}

/** What a bid reaches with so many parts of 1 + score, rounded down. */
function reachWith(bidCents: number, onePlusScore: number): number {
  const lost = Math.ceil((bidCents * partsOfCent * partsOfOne) / onePlusScore);
  return (2 * partsOfCent * bidCents - lost) | 0;
}

/**
 * What the entry's record reaches at most where so much is missed on each bucket; 0 if that is below `lowest`, a `reachOf`,
 * or if it cannot serve a request that offers that.
 */
export function reachAbove(
  block: Int32Array,
  place: number,
  requestSignature: RequestSignature,
  missed: Uint8Array,
  lowest: number,
): number {
  const signature = block[place + 2] ?? 0;
  const places = block[place + 3] ?? 0;
  const most = block[place + reachAt] ?? 0;
  const bid = most >>> sumBits;
  const spare = (2 * partsOfCent * bid - lowest) | 0;
  const needed = Math.imul(bid, partsOfCent * partsOfOne);
  const heaviest = lossOf(block[place + pairsAt] ?? 0, missed);
  let left = ((most & maxSum) - heaviest - lossOf(block[place + pairsAt + 1] ?? 0, missed)) | 0;
  // One branch for all questions and four affinities: nobody can foresee where each entry would end.
  if ((fitness(signature, places, requestSignature) & (needed - 1 - Math.imul(spare, left))) >= 0) return 0;
  const end = place + fixedLength + (signature >>> furtherShift);
  for (let at = place + fixedLength; at < end; at += 1) left -= lossOf(block[at] ?? 0, missed);
  return Math.imul(spare, left) >= needed ? reachWith(bid, left) : 0;
}

/** What is missed of a pair. */
function lossOf(pair: number, missed: Uint8Array): number {
  const one = Math.imul(pair & lossMask, missed[(pair >>> lossBits) & bucketMask] ?? 0);
  const other = Math.imul((pair >>> pairShift) & lossMask, missed[pair >>> (pairShift + lossBits)] ?? 0);
  return (one + other) | 0;
}

/** By the highest rank that a record can reach. */
export class BoundPosting extends SortedPosting {
  protected lengthAt(numbers: Int32Array, place: number): number {
    return lengthAt(numbers, place);
  }
}
