import { lowestTie } from "../../ranking/rank.ts";

/** Maximum ties that are listed; above, the winner is drawn by sampling. */
export const MAX_TIES = 256;

/** Collects the hits of a search: either the highest rank and its ties, or the top `keepCount`. */
export class FoundRanks {
  /** −∞ while nothing is found. */
  highestRank = Number.NEGATIVE_INFINITY;
  /** Ranks below it do not tie. */
  lowestRank = Number.NEGATIVE_INFINITY;
  /** A record with the highest rank; −1 while nothing is found. */
  best = -1;
  /** Addresses of the hits and their ranks; until `dropLow`, some may be too low by now. */
  readonly found: number[] = [];
  readonly ranks: number[] = [];
  /** There are more ties than are listed. */
  crowded = false;
  /** Number of top ranks to keep, in descending order; 0 collects ties instead. */
  keepCount = 0;
  #listsAll = false;

  clear(): void {
    this.highestRank = Number.NEGATIVE_INFINITY;
    this.lowestRank = Number.NEGATIVE_INFINITY;
    this.best = -1;
    this.crowded = false;
    this.keepCount = 0;
    this.#listsAll = false;
    this.#truncate(0);
  }

  /** Ends the search: no bound is above infinity. */
  stop(): void {
    this.highestRank = Number.POSITIVE_INFINITY;
    this.lowestRank = Number.POSITIVE_INFINITY;
  }

  /** Restarts the list of ties, without a limit. */
  restartListing(): void {
    this.crowded = false;
    this.#listsAll = true;
    this.#truncate(0);
  }

  /** Collects a record that may serve and ranks at least at `lowestRank`. */
  collect(address: number, rank: number): void {
    if (this.keepCount > 0) this.#collectTop(address, rank);
    else this.#collectTie(address, rank);
  }

  #collectTie(address: number, rank: number): void {
    if (rank > this.highestRank) {
      this.highestRank = rank;
      this.lowestRank = lowestTie(rank);
      this.best = address;
    }
    if (this.crowded) return;
    // When more than half still tie, stops listing.
    if (this.found.length >= MAX_TIES && !this.#listsAll) {
      this.dropLow();
      this.crowded = this.found.length > MAX_TIES / 2;
    }
    this.found.push(address);
    this.ranks.push(rank);
  }

  /** Once `keepCount` records are kept, the lowest of them is the rank to beat. */
  #collectTop(address: number, rank: number): void {
    let index = this.ranks.length;
    while (index > 0 && (this.ranks[index - 1] ?? 0) < rank) index -= 1;
    this.found.splice(index, 0, address);
    this.ranks.splice(index, 0, rank);
    if (this.ranks.length > this.keepCount) this.#truncate(this.keepCount);
    this.best = this.found[0] ?? -1;
    if (this.ranks.length === this.keepCount) this.highestRank = this.ranks[this.keepCount - 1] ?? 0;
    this.lowestRank = this.highestRank;
  }

  /** Drops the hits that no longer tie. */
  dropLow(): void {
    let kept = 0;
    for (let index = 0; index < this.found.length; index += 1) {
      const rank = this.ranks[index] ?? 0;
      if (rank < this.lowestRank) continue;
      this.found[kept] = this.found[index] ?? 0;
      this.ranks[kept] = rank;
      kept += 1;
    }
    if (kept < this.found.length) this.#truncate(kept);
  }

  #truncate(length: number): void {
    this.found.length = length;
    this.ranks.length = length;
  }
}
