import { fits } from "../dictionary/signature.ts";
import type { Terms } from "../dictionary/terms.ts";
import { field, type Records } from "../documents/records.ts";
import { lengthAt, reachAbove, reachOf } from "../postings/bound-posting-list.ts";
import {
  affinityLength,
  type BidPostingList,
  bidLength,
  type PostingList,
} from "../postings/posting-list.ts";
import { offsetOf } from "../storage/arena.ts";
import { refusal } from "../suppression/refusals.ts";
import { FoundRanks, maxTies } from "./found-ranks.ts";
import type { Scorer } from "./scorer.ts";
import { ActivePostingLists, type BoundWalks, type Walks } from "./walks.ts";

/** After this number of entries by bound, the search checks whether the affinity lists are cheaper. */
const manyEntries = 1_024;
/** Relative cost of an entry by affinity, because the search must read its record. */
const affinityCost = 4;
/** Maximum records scored before the full walk. */
const maxTopCandidates = 4;

/**
 * Finds the highest rank of a request and its ties, with early termination as in WAND or MaxScore.
 *
 * 1. Scores the heads of the key posting lists by bound, in descending order of their reach. One of them is nearly always
 *    close to the winner. When none may serve, walks the key lists by bid while a bid is above the highest rank found.
 * 2. Walks the key lists by bound while a bound is above the highest rank found. Reads a record only if its entry's reach is
 *    high enough.
 *    When many records have high bounds but few have the satisfied affinities, walks the lists by bid and then those of the
 *    satisfied affinities instead: a record without a satisfied affinity ranks at its bid.
 * 3. Continues the same walks while a value is within the tie band.
 */
export class Search extends FoundRanks {
  /** The walks are those by bid and affinity; otherwise those by bound. */
  byAffinity = false;
  /** A record that may serve was skipped because it recently lacked money. */
  lackedMoney = false;
  /** A record that may serve was skipped because of any recent refusal. */
  passedOver = false;
  /** Skips recently refused records. */
  skipsRefused = true;
  /** Ends the search at the first record that may serve but lacks money: the caller only needs to know that one exists. */
  stopsAtRefused = false;
  /** Terms of advertisers to leave out. The caller sets them for each request; `open` does not clear them. */
  readonly excludedAdvertisers: number[] = [];
  readonly postings = new ActivePostingLists();
  readonly #scorer: Scorer;
  readonly #records: Records;
  readonly #terms: Terms;
  /** Totals since the start: posting list entries read, and records read. */
  entryCount = 0;
  recordCount = 0;
  #searchId = 0;
  #budget = 0;

  constructor(scorer: Scorer, records: Records, terms: Terms) {
    super();
    this.#scorer = scorer;
    this.#records = records;
    this.#terms = terms;
  }

  /** Resets the search; the caller adds posting lists afterwards. `searchId` must differ from that of any other search. */
  open(searchId: number): void {
    this.#searchId = searchId;
    this.clear();
    this.byAffinity = false;
    this.lackedMoney = false;
    this.passedOver = false;
    this.skipsRefused = true;
    this.stopsAtRefused = false;
    this.#budget = maxTies;
    this.postings.clear();
  }

  /** Leaves a record out. */
  exclude(address: number): void {
    this.#records.set(address, field.searchId, this.#searchId);
  }

  isAdvertiserExcluded(advertiser: number): boolean {
    return this.excludedAdvertisers.length > 0 && this.excludedAdvertisers.includes(advertiser);
  }

  /** Steps 1 and 2. */
  findHighest(): void {
    const { postings } = this;
    const { bounds } = postings;
    this.#tryTopCandidates();
    if (this.highestRank === Number.NEGATIVE_INFINITY) this.#walkBids();
    // Fewer hits than `keepCount`: the walk by bid has read all records.
    if (this.best < 0 || this.highestRank === Number.NEGATIVE_INFINITY) return;
    postings.dropBelow(this.lowestRank);
    let remaining = manyEntries;
    for (let walk = 0; walk < bounds.count || postings.addBoundsAbove(this.highestRank); walk += 1) {
      remaining = this.#walkBounds(walk, remaining);
      if (remaining > 0) continue;
      if (this.#chooseAffinities()) return;
      remaining = Number.POSITIVE_INFINITY;
      walk -= 1;
    }
  }

  #walkBids(): void {
    const { postings } = this;
    const { bids } = postings;
    for (let walk = 0; walk < bids.count; walk += 1) this.#walkAbove(bids, walk, true);
    while (postings.addBidsAbove(this.highestRank)) this.#walkAbove(bids, bids.count - 1, true);
  }

  #tryTopCandidates(): void {
    const { postings } = this;
    postings.readTopCandidates(this.#scorer.requestSignature, this.#terms.missed);
    for (let trial = 0; trial < maxTopCandidates; trial += 1) {
      const address = postings.takeTop(reachOf(this.highestRank));
      if (address < 0) return;
      this.#consider(address, false);
    }
  }

  /** Walks the affinity lists instead of the rest of the lists by bound, if that is cheaper; returns whether it did. */
  #chooseAffinities(): boolean {
    const { postings } = this;
    const { bounds, affinities } = postings;
    this.#walkBids();
    const { highestRank } = this;
    while (postings.addBoundsAbove(highestRank));
    postings.addAffinities(this.#terms);
    if (affinities.countFrom(highestRank) * affinityCost >= bounds.countFrom(highestRank)) return false;
    this.byAffinity = true;
    for (let walk = 0; walk < affinities.count; walk += 1) this.#walkAbove(affinities, walk, false);
    return true;
  }

  /** Step 3: lists all ties, or sets `crowded` when there are too many. */
  findTies(): void {
    const { postings } = this;
    // All values are integers.
    const below = Math.ceil(this.lowestRank) - 1;
    postings.rewind();
    if (this.byAffinity) while (postings.addBidsAbove(below));
    else while (postings.addBoundsAbove(below));
    if (this.crowded) return;
    if (this.byAffinity) {
      this.#walkTies(postings.bids, bidLength);
      this.#walkTies(postings.affinities, affinityLength);
    } else {
      this.#walkBoundTies(postings.bounds);
    }
  }

  /** Lists all ties without a limit. `searchId` as for `open`. */
  listAll(searchId: number, excluded: readonly number[]): void {
    this.#searchId = searchId;
    for (const address of excluded) this.exclude(address);
    this.restartListing();
    this.#budget = Number.POSITIVE_INFINITY;
    this.postings.restart();
    this.findTies();
  }

  /** @param byBid false walks by affinity, where low ranks are more frequent than failing rules */
  #walkAbove(walks: Walks<PostingList | BidPostingList>, walk: number, byBid: boolean): void {
    const { requestSignature } = this.#scorer;
    const posting = walks.postingAt(walk);
    const entryLength = byBid ? bidLength : affinityLength;
    let block = walks.blocks[walk] ?? 0;
    let offset = walks.offsets[walk] ?? 0;
    for (; block < posting.blockCount; block += 1) {
      const numbers = posting.numbersAt(block);
      const start = posting.startAt(block);
      const end = posting.endAt(block);
      for (let at = start + offset; at < end; at += entryLength) {
        if ((numbers[at] ?? 0) <= this.highestRank) {
          walks.blocks[walk] = block;
          walks.offsets[walk] = at - start;
          return;
        }
        this.entryCount += 1;
        if (byBid && !fits(numbers[at + 2] ?? 0, numbers[at + 3] ?? 0, requestSignature)) continue;
        this.#consider(numbers[at + 1] ?? 0, !byBid);
      }
      offset = 0;
    }
    walks.blocks[walk] = block;
    walks.offsets[walk] = 0;
  }

  /** Reads at most `maxEntries` entries; returns how many of them remain. */
  #walkBounds(walk: number, maxEntries: number): number {
    const { bounds } = this.postings;
    const { missed } = this.#terms;
    const { requestSignature } = this.#scorer;
    let remaining = maxEntries;
    let lowest = reachOf(this.lowestRank);
    let block = bounds.blocks[walk] ?? 0;
    let offset = bounds.offsets[walk] ?? 0;
    for (; bounds.enter(walk, block); block += 1) {
      const { numbers, start, end } = bounds;
      for (let at = start + offset; at < end; at += lengthAt(numbers, at)) {
        if ((numbers[at] ?? 0) <= this.highestRank || remaining <= 0) {
          bounds.blocks[walk] = block;
          bounds.offsets[walk] = at - start;
          bounds.topBounds[walk] = numbers[at] ?? 0;
          return remaining;
        }
        remaining -= 1;
        this.entryCount += 1;
        if (reachAbove(numbers, at, requestSignature, missed, lowest) === 0) continue;
        this.#consider(numbers[at + 1] ?? 0, false);
        lowest = reachOf(this.lowestRank);
      }
      offset = 0;
    }
    bounds.blocks[walk] = block;
    bounds.offsets[walk] = 0;
    bounds.topBounds[walk] = 0;
    return remaining;
  }

  #walkTies(walks: Walks<PostingList | BidPostingList>, entryLength: number): void {
    for (let walk = 0; walk < walks.count; walk += 1) {
      const posting = walks.postingAt(walk);
      let offset = walks.offsets[walk] ?? 0;
      for (let block = walks.blocks[walk] ?? 0; block < posting.blockCount; block += 1) {
        const numbers = posting.numbersAt(block);
        const end = posting.endAt(block);
        let at = posting.startAt(block) + offset;
        for (; at < end && (numbers[at] ?? 0) >= this.lowestRank; at += entryLength) {
          if (this.#exceedsBudget()) return;
          this.entryCount += 1;
          this.#consider(numbers[at + 1] ?? 0, true);
        }
        if (at < end) break;
        offset = 0;
      }
    }
  }

  #walkBoundTies(bounds: BoundWalks): void {
    const { missed } = this.#terms;
    const { requestSignature } = this.#scorer;
    for (let walk = 0; walk < bounds.count; walk += 1) {
      if ((bounds.topBounds[walk] ?? 0) < this.lowestRank) continue;
      let offset = bounds.offsets[walk] ?? 0;
      for (let block = bounds.blocks[walk] ?? 0; bounds.enter(walk, block); block += 1) {
        const { numbers, start, end } = bounds;
        let at = start + offset;
        for (; at < end && (numbers[at] ?? 0) >= this.lowestRank; at += lengthAt(numbers, at)) {
          if (this.#exceedsBudget()) return;
          this.entryCount += 1;
          if (reachAbove(numbers, at, requestSignature, missed, reachOf(this.lowestRank)) > 0) {
            this.#consider(numbers[at + 1] ?? 0, false);
          }
        }
        if (at < end) break;
        offset = 0;
      }
    }
  }

  #exceedsBudget(): boolean {
    this.#budget -= 1;
    if (this.#budget < 0) this.crowded = true;
    return this.crowded;
  }

  /** @param ranksFirst checks the rank before the rules, because it is more likely to fail */
  #consider(address: number, ranksFirst: boolean): void {
    const ints = this.#records.chunkOf(address);
    const floats = this.#records.floatsOf(address);
    const at = offsetOf(address);
    if (ints[at + field.searchId] === this.#searchId) return;
    ints[at + field.searchId] = this.#searchId;
    this.recordCount += 1;
    if (ranksFirst && this.#scorer.rankOf(ints, floats, at) < this.lowestRank) return;
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
      // No bound is above infinity, so every walk ends.
      if (this.stopsAtRefused) this.highestRank = Number.POSITIVE_INFINITY;
    }
    this.passedOver ||= refused !== refusal.none;
    return refused !== refusal.none;
  }
}
