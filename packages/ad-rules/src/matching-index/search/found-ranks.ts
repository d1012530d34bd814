import { lowestTie } from "../../ranking/rank.ts";
import { dropBelow, emptyRanked, insertRanked } from "../postings/ranked-list.ts";

/** So many ties are listed; of more the winner is drawn by sampling. */
export const maxTies = 256;

/** What a search has found so far: the highest rank and those that tie with it, or a number of the highest ranks. */
export class FoundRanks {
  /** −∞ while none is found. */
  highestRank = Number.NEGATIVE_INFINITY;
  /** Ranks below it do not tie. */
  lowestRank = Number.NEGATIVE_INFINITY;
  /** A record of the highest rank. */
  best = -1;
  /** Addresses of those found, and their ranks; some may rank too low. */
  readonly found: number[] = [];
  readonly ranks: number[] = [];
  /** More tie than are listed. */
  crowded = false;
  /** So many of the highest ranks are kept, in descending order, in place of the ties; 0: ties are. */
  keeps = 0;
  #listsAll = false;

  clear(): void {
    this.highestRank = Number.NEGATIVE_INFINITY;
    this.lowestRank = Number.NEGATIVE_INFINITY;
    this.best = -1;
    this.crowded = false;
    this.keeps = 0;
    this.#listsAll = false;
    emptyRanked(this);
  }

  /** Lists the ties from the beginning, however many they are. */
  listAnew(): void {
    this.crowded = false;
    this.#listsAll = true;
    emptyRanked(this);
  }

  /** Takes one that may serve, and whose rank is not too low. */
  note(address: number, rank: number): void {
    if (this.keeps > 0) this.#keep(address, rank);
    else this.#list(address, rank);
  }

  /** The best so far, or one of the ties. */
  #list(address: number, rank: number): void {
    if (rank > this.highestRank) {
      this.highestRank = rank;
      this.lowestRank = lowestTie(rank);
      this.best = address;
    }
    if (this.crowded) return;
    // Makes room; when nearly all still tie, no more are listed.
    if (this.found.length >= maxTies && !this.#listsAll) {
      this.crowded = dropBelow(this, this.lowestRank) > maxTies / 2;
    }
    this.found.push(address);
    this.ranks.push(rank);
  }

  /** Once as many are kept as are wanted, the lowest of them is the rank to beat. */
  #keep(address: number, rank: number): void {
    insertRanked(this, this.keeps, address, rank);
    this.best = this.found[0] ?? -1;
    if (this.ranks.length === this.keeps) this.highestRank = this.ranks[this.keeps - 1] ?? 0;
    this.lowestRank = this.highestRank;
  }
}
