import { bits, field, type Records } from "../documents/records.ts";
import { placeOf } from "../storage/arena.ts";
import { refusal } from "../suppression/refusals.ts";
import type { Scorer } from "./scorer.ts";
import type { Search } from "./search.ts";

/** So many entries are tried at random before all ties are listed after all. */
const maxTrials = 512;

/** Where draws get their numbers from: each at least 0 and below 1. */
export type Random = () => number;

/**
 * Draws one of very many ties without looking at all of them. An entry is taken at random from all that may be of a tie;
 * one that is not of one, or that loses against its weight, is put back. A record that stands at several of the postings
 * is taken so many times more often, and so many times more seldom accepted: each tie is drawn with a chance in proportion
 * to its weight. −1: it took too long, which changes no one's chance either when all are then listed.
 */
export class TieSampling {
  readonly #scorer: Scorer;
  readonly #records: Records;

  constructor(scorer: Scorer, records: Records) {
    this.#scorer = scorer;
    this.#records = records;
  }

  /** @param heaviest no record has a higher weight, which is its priority + 1 */
  draw(search: Search, excluded: readonly number[], heaviest: number, random: Random): number {
    const { postings, lowestRank, byAffinity } = search;
    const first = byAffinity ? postings.bids : postings.bounds;
    const inFirst = first.countFrom(lowestRank);
    const total = inFirst + (byAffinity ? postings.affinities.countFrom(lowestRank) : 0);
    if (total <= maxTrials) return -1;
    for (let trial = 0; trial < maxTrials; trial += 1) {
      const ticket = random() * total;
      const place = Math.min(Math.floor(ticket), total - 1);
      const address =
        place < inFirst
          ? first.recordAt(place, lowestRank)
          : postings.affinities.recordAt(place - inFirst, lowestRank);
      if (address < 0 || excluded.includes(address) || !this.#ties(address, lowestRank)) continue;
      if (search.isAdvertiserExcluded(this.#records.get(address, field.advertiser))) continue;
      const weight = this.#records.get(address, field.priority) + 1;
      const chances = heaviest * this.#timesPosted(address, search);
      if ((ticket - place) * chances < weight) return address;
    }
    return -1;
  }

  #ties(address: number, lowestRank: number): boolean {
    const ints = this.#records.chunkOf(address);
    const floats = this.#records.floatsOf(address);
    const at = placeOf(address);
    return (
      this.#scorer.rankOf(ints, floats, at) >= lowestRank &&
      this.#scorer.admits(ints, floats, at, address) &&
      this.#scorer.refusalOf(ints, at) === refusal.none
    );
  }

  /** At how many of the entries that can be taken the record stands. */
  #timesPosted(address: number, { lowestRank, byAffinity }: Search): number {
    const records = this.#records;
    const key = (records.get(address, field.traits) >>> bits.keyShift) & bits.keyMask;
    const keys = key === 0 ? 1 : this.#scorer.countActive(address, field.places + key - 1);
    if (!byAffinity) return keys;
    return (
      (records.get(address, field.bidCents) >= lowestRank ? keys : 0) +
      (records.get(address, field.bound) >= lowestRank ? this.#scorer.countAffine(address) : 0)
    );
  }
}
