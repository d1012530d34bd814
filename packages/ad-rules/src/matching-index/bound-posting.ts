import { fitness } from "./asked.ts";
import { level } from "./effects.ts";
import { SortedPosting } from "./posting.ts";

/**
 * An entry: bound; record; what the record asks for (asked.ts), with the number of affinities behind the fourth; the rank
 * with all affinities satisfied; then each affinity's term and what a level less of it costs, as a share of that rank, the
 * dearest first, and at least four, of which the last may be empty. How high a record can rank in a request is read from
 * the posting itself: what most records miss of their four dearest affinities is more than they may.
 */
const header = 4;
/** So many affinities have a place in each entry, and are always read. */
const always = 4;
const fixedLength = header + always;
const furtherShift = 29;
const mostFurther = 7;
const lossBits = 12;
const lossMask = (1 << lossBits) - 1;
const mostTerms = 1 << (31 - lossBits);
/** A rank times a loss has 32 bits. */
const mostRank = 1 << (32 - lossBits);
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
  const rank = Math.ceil(bidCents * (1 + sum));
  if (rank >= mostRank) return [bound, record, asked, highestNumber, 0, 0, 0, 0];
  const affinities: { term: number; loss: number }[] = [];
  for (const [place, term] of terms.entries()) {
    const share = (bidCents * Math.max(weights[place] ?? 0, 0)) / level.full / rank;
    const loss = Math.floor(share * (1 << lossBits) * (1 - 1e-9));
    if (loss > 0 && term < mostTerms) affinities.push({ term, loss });
  }
  affinities.sort((left, right) => right.loss - left.loss);
  const packed = affinities
    .slice(0, always + mostFurther)
    .map(({ term, loss }) => term * (1 << lossBits) + loss);
  while (packed.length < always) packed.push(0);
  return [bound, record, asked | ((packed.length - always) << furtherShift), rank, ...packed];
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
 * False if the entry's record cannot serve a request that offers that, or ranks below the `wholeRank` where these flags are
 * up (effects.ts, `level`).
 */
export function mayCompete(
  block: Int32Array,
  place: number,
  offer: number,
  flags: Uint8Array,
  lowest: number,
): boolean {
  const asked = block[place + 2] ?? 0;
  const rank = block[place + 3] ?? 0;
  const dearest = (lossAt(block, place + header, flags) + lossAt(block, place + header + 1, flags)) | 0;
  const next = (lossAt(block, place + header + 2, flags) + lossAt(block, place + header + 3, flags)) | 0;
  let loss = (dearest + next) | 0;
  // One branch for both questions and four affinities: nobody can foresee where each entry would end.
  if ((fitness(asked, offer) & ((lowest - 1 - reachOf(rank, loss)) | 0)) >= 0) return false;
  const further = asked >>> furtherShift;
  const end = place + fixedLength + further;
  for (let at = place + fixedLength; at < end; at += 1) {
    loss += lossAt(block, at, flags);
  }
  return reachOf(rank, loss) >= lowest;
}

function lossAt(block: Int32Array, at: number, flags: Uint8Array): number {
  const packed = block[at] ?? 0;
  return Math.imul(packed & lossMask, level.full - (flags[packed >>> lossBits] ?? 0));
}

function reachOf(rank: number, loss: number): number {
  return (rank - (Math.imul(rank, loss) >>> lossBits)) | 0;
}

/** By the highest rank that a record can reach. */
export class BoundPosting extends SortedPosting {
  protected lengthAt(numbers: Int32Array, place: number): number {
    return lengthAt(numbers, place);
  }
}
