/** The few highest of the ranks added. */
export class TopRanks {
  readonly #limit: number;
  /** Descending. */
  readonly #ranks: number[] = [];

  /** Throws RangeError for a limit below 1. */
  constructor(limit: number) {
    if (!(limit >= 1)) throw new RangeError(`limit is below 1: ${limit}`);
    this.#limit = limit;
  }

  /** −∞ when there is none. */
  get highest(): number {
    return this.#ranks[0] ?? Number.NEGATIVE_INFINITY;
  }

  /** The lowest of them; −∞ while there are fewer than the limit. */
  get lowest(): number {
    return this.#ranks.length < this.#limit
      ? Number.NEGATIVE_INFINITY
      : (this.#ranks[this.#ranks.length - 1] ?? Number.NEGATIVE_INFINITY);
  }

  add(rank: number): void {
    const ranks = this.#ranks;
    if (rank <= this.lowest) return;
    if (ranks.length === this.#limit) ranks.pop();
    let place = ranks.length;
    ranks.push(rank);
    for (; place > 0 && (ranks[place - 1] ?? 0) < rank; place -= 1) ranks[place] = ranks[place - 1] ?? 0;
    ranks[place] = rank;
  }

  /** Takes one out that is equal, if there is one. */
  remove(rank: number): void {
    const place = this.#ranks.indexOf(rank);
    if (place >= 0) this.#ranks.splice(place, 1);
  }
}
