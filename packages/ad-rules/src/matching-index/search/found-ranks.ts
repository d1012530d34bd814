import { lowestTie } from "../../ranking/rank.ts";
import { dropBelow, emptyRanked, insertRanked } from "../postings/ranked-list.ts";

/** Maximum ties that are listed; above, the winner is drawn by sampling. */
export const maxTies = 256;

/** Collects the hits of a search: either the highest rank and its ties, or the top `keepCount`. */
export class FoundRanks {
  /** −∞ while nothing is found. */
  highestRank = Number.NEGATIVE_INFINITY;
  /** Ranks below it do not tie. */
  lowestRank = Number.NEGATIVE_INFINITY;
  /** A record with the highest rank; −1 while nothing is found. */
  best = -1;
  /** Addresses of the hits and their ranks; some may be too low by now. */
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
    emptyRanked(this);
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
    emptyRanked(this);
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
    // Drops ranks that no longer tie; when more than half still tie, stops listing.
    if (this.found.length >= maxTies && !this.#listsAll) {
      this.crowded = dropBelow(this, this.lowestRank) > maxTies / 2;
    }
    this.found.push(address);
    this.ranks.push(rank);
  }

  /** Once `keepCount` records are kept, the lowest of them is the rank to beat. */
  #collectTop(address: number, rank: number): void {
    insertRanked(this, this.keepCount, address, rank);
    this.best = this.found[0] ?? -1;
    if (this.ranks.length === this.keepCount) this.highestRank = this.ranks[this.keepCount - 1] ?? 0;
    this.lowestRank = this.highestRank;
  }
}
