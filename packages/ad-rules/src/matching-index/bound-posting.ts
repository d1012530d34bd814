import { fitness, type Offer } from "./asked.ts";
import { laneOf } from "./lanes.ts";
import { SortedPosting } from "./posting.ts";

/**
 * An entry: bound; record; what the record asks for, in two numbers (asked.ts), the first with the number of further pairs;
 * its bid, and what that is multiplied by with all affinities satisfied; then affinities in pairs, the dearest first, of each
 * its lane (lanes.ts) and what missing half of it takes off the multiple. Two pairs are always there. Multiples are counted
 * in parts of which a weight of one decimal is a whole number. So how high a record can rank in a request is read from the
 * posting itself, in most cases exactly: what most records miss of their four dearest affinities is more than they may.
 */
const reachAt = 4;
const pairsAt = 5;
/** So many affinities have a place in each entry, and are always read. */
const always = 4;
const fixedLength = pairsAt + always / 2;
const furtherShift = 29;
const mostFurther = 7;
const lossBits = 6;
const lossMask = (1 << lossBits) - 1;
const pairShift = 16;
const laneMask = (1 << (pairShift - lossBits)) - 1;
/** Half of 0.1 is one of so many parts of 1. */
const partsOfOne = 20;
/** Of a bid and its multiple, whose product has 31 bits. */
const multipleBits = 15;
const mostMultiple = (1 << multipleBits) - 1;
const mostBid = (1 << 16) - 1;
const mostReach = mostBid * mostMultiple;
/** In parts, far below `slack` whatever the bid. */
const dust = 1e-9;
/** In ranks, far above any rounding. */
const slack = 1e-3;

/** What an entry is made of. */
export interface BoundEntry {
  bound: number;
  record: number;
  asked: number;
  places: number;
  bidCents: number;
  terms: Int32Array;
  weights: Float64Array;
}

/** An entry for `BoundPosting`. Affinities that do not fit are left out: then it is said to rank higher than it may. */
export function entryOf({ bound, record, asked, places, bidCents, terms, weights }: BoundEntry): number[] {
  // A negative weight only lowers the rank.
  const sum = weights.reduce((total, weight) => total + Math.max(weight, 0), 0);
  const multiple = Math.ceil((1 + sum) * partsOfOne - dust);
  const fits = bidCents <= mostBid && multiple <= mostMultiple;
  const packed: number[] = [];
  if (fits) {
    for (const [place, term] of terms.entries()) {
      const loss = Math.min(Math.floor(((weights[place] ?? 0) / 2) * partsOfOne + dust), lossMask);
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
  const further = pairs.length - always / 2;
  const reach = fits ? (bidCents << multipleBits) | multiple : (mostBid << multipleBits) | mostMultiple;
  return [bound, record, asked | (further << furtherShift), places, reach, ...pairs];
}

/** How many numbers the entry at this place has. */
export function lengthAt(block: Int32Array, place: number): number {
  return fixedLength + ((block[place + 2] ?? 0) >>> furtherShift);
}

/** A rank as what `reachAbove` compares and returns: ranks below it reach less. */
export function reachOf(rank: number): number {
  return Math.min(Math.max(Math.ceil((rank - slack) * partsOfOne), 0), mostReach) | 0;
}

/**
 * What the entry's record reaches at most where so much is missed on each lane; 0 if that is below `lowest`, a `reachOf`,
 * or if it cannot serve a request that offers that.
 */
export function reachAbove(
  block: Int32Array,
  place: number,
  offer: Offer,
  missed: Uint8Array,
  lowest: number,
): number {
  const asked = block[place + 2] ?? 0;
  const places = block[place + 3] ?? 0;
  const most = block[place + reachAt] ?? 0;
  const bid = most >>> multipleBits;
  const dearest = lossOf(block[place + pairsAt] ?? 0, missed);
  let left = ((most & mostMultiple) - dearest - lossOf(block[place + pairsAt + 1] ?? 0, missed)) | 0;
  // One branch for all questions and four affinities: nobody can foresee where each entry would end.
  if ((fitness(asked, places, offer) & (lowest - 1 - Math.imul(bid, left))) >= 0) return 0;
  const end = place + fixedLength + (asked >>> furtherShift);
  for (let at = place + fixedLength; at < end; at += 1) left -= lossOf(block[at] ?? 0, missed);
  const reach = Math.imul(bid, left);
  return reach >= lowest ? reach : 0;
}

/** What is missed of a pair. */
function lossOf(pair: number, missed: Uint8Array): number {
  const one = Math.imul(pair & lossMask, missed[(pair >>> lossBits) & laneMask] ?? 0);
  const other = Math.imul((pair >>> pairShift) & lossMask, missed[pair >>> (pairShift + lossBits)] ?? 0);
  return (one + other) | 0;
}

/** By the highest rank that a record can reach. */
export class BoundPosting extends SortedPosting {
  protected lengthAt(numbers: Int32Array, place: number): number {
    return lengthAt(numbers, place);
  }
}
