import { field, type Records } from "../documents/records.ts";
import { offsetOf } from "../storage/arena.ts";
import { refusal } from "../suppression/refusals.ts";
import type { Scorer } from "./scorer.ts";
import type { Search } from "./search.ts";

/** Maximum random trials before the caller lists all ties instead. */
const MAX_TRIALS = 512;

/** Returns numbers in [0, 1). */
export type Random = () => number;

/**
 * Draws one of very many ties by rejection sampling, without reading all of them. Each trial takes a random entry that may
 * tie, and rejects it when it does not tie or with a probability according to its weight. A record in several posting lists
 * is taken that many times as often and accepted that many times as rarely. So each tie wins in proportion to its weight.
 */
export class TieSampling {
  readonly #scorer: Scorer;
  readonly #records: Records;

  constructor(scorer: Scorer, records: Records) {
    this.#scorer = scorer;
    this.#records = records;
  }

  /**
   * Returns an address, or −1 after `MAX_TRIALS` trials: listing all ties then does not bias the draw.
   * @param maxWeight upper bound of all weights; a weight is the priority + 1
   */
  draw(search: Search, excluded: readonly number[], maxWeight: number, random: Random): number {
    const { lists, lowestRank } = search;
    // All bounds are integers.
    const lowestBound = Math.ceil(lowestRank);
    const total = lists.countFrom(lowestBound);
    if (total <= MAX_TRIALS) return -1;
    for (let trial = 0; trial < MAX_TRIALS; trial += 1) {
      const ticket = random() * total;
      const index = Math.min(Math.floor(ticket), total - 1);
      const address = lists.recordAt(index, lowestBound);
      if (address < 0 || excluded.includes(address) || !this.#ties(address, lowestRank)) continue;
      if (search.isAdvertiserExcluded(this.#records.get(address, field.advertiser))) continue;
      const weight = this.#records.get(address, field.priority) + 1;
      const chances = maxWeight * this.#timesPosted(address);
      if ((ticket - index) * chances < weight) return address;
    }
    return -1;
  }

  #ties(address: number, lowestRank: number): boolean {
    const ints = this.#records.chunkOf(address);
    const floats = this.#records.floatsOf(address);
    const at = offsetOf(address);
    return (
      this.#scorer.rankOf(ints, floats, at) >= lowestRank &&
      this.#scorer.admits(ints, floats, at, address) &&
      this.#scorer.refusalOf(ints, at) === refusal.none
    );
  }

  /** Number of active posting lists that contain the record. */
  #timesPosted(address: number): number {
    const key = this.#records.get(address, field.key);
    return key === 0 ? 1 : this.#scorer.countActive(address, key);
  }
}
