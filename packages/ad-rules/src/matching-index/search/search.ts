import type { Terms } from "../dictionary/terms.ts";
import { field, type Records } from "../documents/records.ts";
import { entryLength, reachAbove, reachOf } from "../postings/entry.ts";
import { offsetOf } from "../storage/arena.ts";
import { refusal } from "../suppression/refusals.ts";
import { ActiveLists } from "./active-lists.ts";
import { FoundRanks, MAX_TIES } from "./found-ranks.ts";
import type { Scorer } from "./scorer.ts";

/** Maximum records scored before the full walk. */
const MAX_TOP_CANDIDATES = 4;

/**
 * Finds the highest rank of a request and its ties, with early termination as in WAND or MaxScore.
 *
 * 1. Scores the first records of the posting lists, in descending order of their reach. One of them is nearly always close
 *    to the winner.
 * 2. Walks the posting lists while a bound is within the tie band of the highest rank found. Reads a record only if its
 *    entry's reach is high enough. With too many ties, only walks on while a bound is above the highest rank.
 */
export class Search extends FoundRanks {
  /** A record that may serve was skipped because it recently lacked money. */
  lackedMoney = false;
  /** A record that may serve was skipped because of any recent refusal. */
  passedOver = false;
  /** Skips recently refused records. */
  skipsRefused = true;
  /** Ends a search that has found none at the first record that lacks money: the caller only needs to know that one exists. */
  stopsAtRefused = false;
  /** Terms of advertisers to leave out. The caller sets them for each request; `open` does not clear them. */
  readonly excludedAdvertisers: number[] = [];
  readonly lists = new ActiveLists();
  readonly #scorer: Scorer;
  readonly #records: Records;
  readonly #terms: Terms;
  /** Totals since the start: posting lists walked, posting list entries read, and records read. */
  walkCount = 0;
  entryCount = 0;
  recordCount = 0;
  #searchId = 0;
  /** Entries of the tie band that may still be read. */
  #budget = 0;

  constructor(scorer: Scorer, records: Records, terms: Terms) {
    super();
    this.#scorer = scorer;
    this.#records = records;
    this.#terms = terms;
  }

  /** Resets the search; the caller opens the lists afterwards. `searchId` must differ from that of any other search. */
  open(searchId: number): void {
    this.#searchId = searchId;
    this.clear();
    this.lackedMoney = false;
    this.passedOver = false;
    this.skipsRefused = true;
    this.stopsAtRefused = false;
    this.#budget = MAX_TIES;
    this.lists.clear();
  }

  /** Leaves a record out. */
  exclude(address: number): void {
    this.#records.set(address, field.searchId, this.#searchId);
  }

  isAdvertiserExcluded(advertiser: number): boolean {
    return this.excludedAdvertisers.length > 0 && this.excludedAdvertisers.includes(advertiser);
  }

  /** Finds the highest rank, and lists all ties or sets `crowded` when there are too many. */
  findHighest(): void {
    const { lists } = this;
    lists.readTopCandidates(this.#scorer.requestSignature, this.#terms.missed);
    for (let trial = 0; trial < MAX_TOP_CANDIDATES; trial += 1) {
      const address = lists.takeTopCandidate(reachOf(this.highestRank));
      if (address < 0) break;
      this.#consider(address);
    }
    this.#walkAll();
  }

  /** Lists all ties without a limit. `searchId` as for `open`. */
  listAll(searchId: number, excluded: readonly number[]): void {
    this.#searchId = searchId;
    for (const address of excluded) this.exclude(address);
    this.restartListing();
    this.#budget = Number.POSITIVE_INFINITY;
    this.#walkAll();
  }

  #walkAll(): void {
    const { lists } = this;
    for (let list = 0; list < lists.count; list += 1) {
      if ((lists.topBounds[list] ?? 0) >= this.lowestRank) this.#walk(list);
    }
  }

  #walk(list: number): void {
    const { lists } = this;
    const { missed } = this.#terms;
    const { requestSignature } = this.#scorer;
    lists.enter(list);
    const { numbers, start, end } = lists;
    let lowest = reachOf(this.lowestRank);
    this.walkCount += 1;
    for (let at = start; at < end; at += entryLength) {
      const bound = numbers[at] ?? 0;
      if (bound <= this.highestRank && (bound < this.lowestRank || this.#exceedsBudget())) return;
      this.entryCount += 1;
      if (reachAbove(numbers, at, requestSignature, missed, lowest) === 0) continue;
      this.#consider(numbers[at + 1] ?? 0);
      lowest = reachOf(this.lowestRank);
    }
  }

  #exceedsBudget(): boolean {
    this.#budget -= 1;
    if (this.#budget < 0) this.crowded = true;
    return this.crowded;
  }

  #consider(address: number): void {
    const ints = this.#records.chunkOf(address);
    const floats = this.#records.floatsOf(address);
    const at = offsetOf(address);
    if (ints[at + field.searchId] === this.#searchId) return;
    ints[at + field.searchId] = this.#searchId;
    this.recordCount += 1;
    if (!this.#scorer.admits(ints, floats, at, address)) return;
    const rank = this.#scorer.rankOf(ints, floats, at);
    if (rank < this.lowestRank || this.isAdvertiserExcluded(ints[at + field.advertiser] ?? 0)) return;
    if (this.skipsRefused && this.#isRefused(ints, at)) return;
    this.collect(address, rank);
  }

  #isRefused(ints: Int32Array, at: number): boolean {
    const refused = this.#scorer.refusalOf(ints, at);
    if (refused === refusal.lacksMoney) {
      this.lackedMoney = true;
      if (this.stopsAtRefused && this.best < 0) this.stop();
    }
    this.passedOver ||= refused !== refusal.none;
    return refused !== refusal.none;
  }
}
