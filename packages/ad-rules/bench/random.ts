/** A seeded random generator, so that every run measures the same worlds. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1) (mulberry32). */
  readonly next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** An integer from `low` to `high`, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** An element of the list; the n-th is drawn about 1/n as often as the first. */
  zipf<Entry>(list: readonly Entry[]): Entry {
    const index = Math.floor((list.length + 1) ** this.next()) - 1;
    const entry = list[Math.min(index, list.length - 1)];
    if (entry === undefined) throw new RangeError("an empty list");
    return entry;
  }

  /** Up to `count` distinct elements of the list, drawn by `zipf`. */
  several<Entry>(list: readonly Entry[], count: number): Entry[] {
    const chosen = new Set<Entry>();
    for (let n = 0; n < count; n += 1) chosen.add(this.zipf(list));
    return [...chosen];
  }

  /** Log-normal around its median. */
  around(median: number, sigma: number): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
    return median * Math.exp(sigma * normal);
  }
}
