import { bucketOf } from "../dictionary/buckets.ts";
import { fitness, type RequestSignature } from "../dictionary/signature.ts";

/**
 * The layout of an entry, half a cache line, from which a search computes an upper bound of the rank in the request (a
 * *reach*) without reading the record:
 *
 * 1. Bound (the highest rank in any context) and record.
 * 2. The campaign signature in two numbers (signature.ts).
 * 3. Bid, and 1 + score with all affinities satisfied.
 * 4. The six heaviest affinities in pairs: each its bucket (buckets.ts) and what missing half of it takes off the score.
 *
 * The reach is nearly exact for most records.
 *
 * The rank is bid × (2 − 1 ÷ (1 + score)). So a record reaches a rank if (2 × bid − rank) × (1 + score) ≥ bid. That needs
 * no division, and only integers: scores count in parts of which a weight with one decimal is a whole number, ranks in
 * parts of a cent.
 */
const reachAt = 4;
const pairsAt = 5;
const MAX_AFFINITIES = 6;
export const entryLength: number = pairsAt + MAX_AFFINITIES / 2;
const lossBits = 6;
const lossMask = (1 << lossBits) - 1;
const pairShift = 16;
const bucketMask = (1 << (pairShift - lossBits)) - 1;
/** Parts of a score of 1; half of a weight of 0.1 is one part. */
const partsOfOne = 20;
/** Parts of a cent in which ranks are counted. */
const partsOfCent = 16;
const sumBits = 12;
/** Maximum of 1 + score, in parts. */
const MAX_SUM = (1 << sumBits) - 1;
/** In cents. Twice the highest rank, in parts of a cent, times the highest sum must fit into 31 bits. */
const MAX_BID = 16_000;
/** In parts of a score: far above rounding errors, far below the value of a part of a cent. */
const epsilon = 1e-9;
const MAX_REACH = reachWith(MAX_BID, MAX_SUM);

interface BoundEntry {
  bound: number;
  record: number;
  signature: number;
  places: number;
  bidCents: number;
  terms: Int32Array;
  weights: Float64Array;
}

/** Builds an entry. Leaves out affinities that do not fit, which only raises the reach. */
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
  const fits = bidCents <= MAX_BID && onePlusScore <= MAX_SUM;
  const packed: number[] = [];
  if (fits) {
    for (const [index, term] of terms.entries()) {
      const loss = Math.min(Math.floor(((weights[index] ?? 0) / 2) * partsOfOne + epsilon), lossMask);
      if (loss > 0) packed.push((bucketOf(term) << lossBits) | loss);
    }
    packed.sort((left, right) => (right & lossMask) - (left & lossMask));
    packed.splice(MAX_AFFINITIES);
  }
  const pairs: number[] = [];
  for (let index = 0; index < MAX_AFFINITIES; index += 2) {
    pairs.push((packed[index] ?? 0) | ((packed[index + 1] ?? 0) << pairShift));
  }
  const reach = fits ? (bidCents << sumBits) | onePlusScore : (MAX_BID << sumBits) | MAX_SUM;
  return [bound, record, signature, places, reach, ...pairs];
}

/** The reach of a rank, as `reachAbove` compares and returns it: one part less, which is far above rounding errors. */
export function reachOf(rank: number): number {
  return Math.min(Math.max(Math.floor(rank * partsOfCent) - 1, 0), MAX_REACH) | 0;
}

/** The reach of a bid with a score, rounded down. @param onePlusScore in parts */
function reachWith(bidCents: number, onePlusScore: number): number {
  const lost = Math.ceil((bidCents * partsOfCent * partsOfOne) / onePlusScore);
  return (2 * partsOfCent * bidCents - lost) | 0;
}

/**
 * The reach of an entry's record in a request; 0 if it is below `lowest` (a `reachOf`) or if the signatures do not fit.
 * @param missed by bucket: what the request misses
 */
export function reachAbove(
  block: Int32Array,
  offset: number,
  requestSignature: RequestSignature,
  missed: Uint8Array,
  lowest: number,
): number {
  const signature = block[offset + 2] ?? 0;
  const places = block[offset + 3] ?? 0;
  const bidAndSum = block[offset + reachAt] ?? 0;
  const bid = bidAndSum >>> sumBits;
  const spare = (2 * partsOfCent * bid - lowest) | 0;
  const needed = Math.imul(bid, partsOfCent * partsOfOne);
  const loss =
    lossOf(block[offset + pairsAt] ?? 0, missed) +
    lossOf(block[offset + pairsAt + 1] ?? 0, missed) +
    lossOf(block[offset + pairsAt + 2] ?? 0, missed);
  const sum = ((bidAndSum & MAX_SUM) - loss) | 0;
  // One branch for all conditions and affinities: separate branches are unpredictable for the processor.
  const isTooLow = (fitness(signature, places, requestSignature) & (needed - 1 - Math.imul(spare, sum))) >= 0;
  return isTooLow ? 0 : reachWith(bid, sum);
}

/** What the request misses of a pair of affinities. */
function lossOf(pair: number, missed: Uint8Array): number {
  const one = Math.imul(pair & lossMask, missed[(pair >>> lossBits) & bucketMask] ?? 0);
  const other = Math.imul((pair >>> pairShift) & lossMask, missed[pair >>> (pairShift + lossBits)] ?? 0);
  return (one + other) | 0;
}
