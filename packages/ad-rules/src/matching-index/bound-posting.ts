import { fitness } from "./asked.ts";
import { laneOf } from "./lanes.ts";
import { SortedPosting } from "./posting.ts";

/**
 * An entry: bound; record; what the record asks for (asked.ts), with the number of further pairs; the rank with all
 * affinities satisfied; then affinities in pairs, the dearest first, of each its lane (lanes.ts) and what half of it costs, as
 * a share of that rank. Two pairs are always there. How high a record can rank in a request is read from the posting itself:
 * what most records miss of their four dearest affinities is more than they may.
 */
const pairsAt = 4;
/** So many affinities have a place in each entry, and are always read. */
const always = 4;
const fixedLength = pairsAt + always / 2;
const furtherShift = 29;
const mostFurther = 7;
const lossBits = 6;
const lossMask = (1 << lossBits) - 1;
const pairShift = 16;
const laneMask = (1 << (pairShift - lossBits)) - 1;
/** The cost of half an affinity is less than half of the rank, so the share is counted in parts of this. */
const shareBits = lossBits + 1;
/** A rank times all that may be missed has 31 bits. */
const mostRank = 1 << 20;
const highestNumber = 0x7fff_ffff;
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

/** An entry for `BoundPosting`. Affinities that cannot be packed are left out: then it is said to rank higher than it may. */
export function entryOf({ bound, record, asked, bidCents, terms, weights }: BoundEntry): number[] {
  // A negative weight only lowers the rank.
  const sum = weights.reduce((total, weight) => total + Math.max(weight, 0), 0);
  const rank = Math.min(Math.ceil(bidCents * (1 + sum)), highestNumber);
  const packed: number[] = [];
  if (rank < mostRank) {
    for (const [place, term] of terms.entries()) {
      const share = (bidCents * Math.max(weights[place] ?? 0, 0)) / 2 / rank;
      const loss = Math.min(Math.floor(share * (1 << shareBits) * (1 - 1e-9)), lossMask);
      if (loss > 0) packed.push((laneOf(term) << lossBits) | loss);
    }
    packed.sort((left, right) => (right & lossMask) - (left & lossMask));
    packed.splice(always + 2 * mostFurther);
  }
  while (packed.length < always || packed.length % 2 > 0) packed.push(0);
  const pairs: number[] = [];
  for (let place = 0; place < packed.length; place += 2) {
    pairs.push((packed[place] ?? 0) | ((packed[place + 1] ?? 0) << pairShift) | 0);
  }
  return [bound, record, asked | ((pairs.length - always / 2) << furtherShift), rank, ...pairs];
}

/** How many numbers the entry at this place has. */
export function lengthAt(block: Int32Array, place: number): number {
  return fixedLength + ((block[place + 2] ?? 0) >>> furtherShift);
}

/** A rank as the whole number that an entry is held against: ranks below it rank lower. */
export function wholeRank(rank: number): number {
  return Math.min(Math.max(Math.ceil(rank - slack), 0), highestNumber);
}

/**
 * What the entry's record ranks at most where so much is missed on each lane; 0 if that is below `lowest`, a `wholeRank`, or
 * if it cannot serve a request that offers that.
 */
export function reachAbove(
  block: Int32Array,
  place: number,
  offer: number,
  missed: Uint8Array,
  lowest: number,
): number {
  const asked = block[place + 2] ?? 0;
  const rank = block[place + 3] ?? 0;
  const dearest = lossOf(block[place + pairsAt] ?? 0, missed);
  let loss = (dearest + lossOf(block[place + pairsAt + 1] ?? 0, missed)) | 0;
  // One branch for both questions and four affinities: nobody can foresee where each entry would end.
  if ((fitness(asked, offer) & ((lowest - 1 - reachOf(rank, loss)) | 0)) >= 0) return 0;
  const end = place + fixedLength + (asked >>> furtherShift);
  for (let at = place + fixedLength; at < end; at += 1) loss += lossOf(block[at] ?? 0, missed);
  const reach = reachOf(rank, loss);
  return reach >= lowest ? reach : 0;
}

/** What is missed of a pair. */
function lossOf(pair: number, missed: Uint8Array): number {
  const one = Math.imul(pair & lossMask, missed[(pair >>> lossBits) & laneMask] ?? 0);
  const other = Math.imul((pair >>> pairShift) & lossMask, missed[pair >>> (pairShift + lossBits)] ?? 0);
  return (one + other) | 0;
}

function reachOf(rank: number, loss: number): number {
  return (rank - (Math.imul(rank, loss) >>> shareBits)) | 0;
}

/** By the highest rank that a record can reach. */
export class BoundPosting extends SortedPosting {
  protected lengthAt(numbers: Int32Array, place: number): number {
    return lengthAt(numbers, place);
  }
}
