import type { Tenant } from "./tenant.ts";

/** One cache line of integers per slot: bound, bid, then as many term ids, then as many places of weights. */
const recordLength = 16;
const boundAt = 0;
const bidAt = 1;
const idsAt = 2;
const affinitiesAtHand = 7;
const weightsAt = idsAt + affinitiesAtHand;
/** Stands for the first id of a campaign whose affinities do not fit. */
const elsewhere = -1;
/** Weights are few, as people write them; should there be more, campaigns with the others are scored the longer way. */
const mostWeights = 4096;

/**
 * What judging a slot looks at first, side by side in memory: most slots that pass the filter are told by it to rank too
 * low, and fetching their campaigns from all over the heap would cost more than everything else.
 */
export class SlotRecords {
  #records: Int32Array;
  readonly #weights = new Float64Array(mostWeights);
  readonly #places = new Map<number, number>();

  constructor(slots: number) {
    this.#records = new Int32Array(slots * recordLength);
  }

  grow(slots: number): void {
    const records = new Int32Array(slots * recordLength);
    records.set(this.#records);
    this.#records = records;
  }

  set(slot: number, { bound, campaign, affinities }: Tenant): void {
    const records = this.#records;
    const first = slot * recordLength;
    records.fill(0, first, first + recordLength);
    records[first + boundAt] = Math.min(Math.ceil(bound), 0x7fffffff);
    records[first + bidAt] = campaign.cpm_bid_cents;
    const places = affinities.weights.map((weight) => this.#placeOf(weight));
    if (places.length > affinitiesAtHand || places.includes(null)) {
      records[first + idsAt] = elsewhere;
      return;
    }
    for (const [n, place] of places.entries()) {
      records[first + idsAt + n] = affinities.ids[n] ?? 0;
      records[first + weightsAt + n] = place ?? 0;
    }
  }

  /** Not below the slot's bound. */
  bound(slot: number): number {
    return this.#records[slot * recordLength + boundAt] ?? 0;
  }

  bidCents(slot: number): number {
    return this.#records[slot * recordLength + bidAt] ?? 0;
  }

  /** The sum of weights, in the order of the campaign's list, by the share that each term earns; null: not known here. */
  sumOf(slot: number, shares: Float64Array): number | null {
    const records = this.#records;
    const first = slot * recordLength;
    if (records[first + idsAt] === elsewhere) return null;
    let sum = 0;
    for (let n = 0; n < affinitiesAtHand; n += 1) {
      const id = records[first + idsAt + n] ?? 0;
      if (id === 0) break;
      const share = shares[id] ?? 0;
      if (share !== 0) sum += (this.#weights[records[first + weightsAt + n] ?? 0] ?? 0) * share;
    }
    return sum;
  }

  /** Null when there is no room for another weight. */
  #placeOf(weight: number): number | null {
    const known = this.#places.get(weight);
    if (known !== undefined) return known;
    const place = this.#places.size;
    if (place === mostWeights) return null;
    this.#weights[place] = weight;
    this.#places.set(weight, place);
    return place;
  }
}
