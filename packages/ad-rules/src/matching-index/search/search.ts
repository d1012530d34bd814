import { fits } from "../dictionary/signature.ts";
import type { Terms } from "../dictionary/terms.ts";
import { field, type Records } from "../documents/records.ts";
import { lengthAt, reachAbove, reachOf } from "../postings/bound-posting.ts";
import { affinityLength, type BidPosting, bidLength, type Posting } from "../postings/posting.ts";
import { placeOf } from "../storage/arena.ts";
import { refusal } from "../suppression/refusals.ts";
import { FoundRanks, maxTies } from "./found-ranks.ts";
import type { Scorer } from "./scorer.ts";
import { ActivePostings, type BoundWalks, type Walks } from "./walks.ts";

/** After so many entries by bound it is worth counting whether the affinities would be fewer. */
const manyEntries = 1_024;
/** Entries of affinities cost so many times more, because their records have to be looked at. */
const affinityCost = 4;
/** So many records are tried first. */
const maxTopCandidates = 4;

/**
 * Finds the highest rank of a request, and those that tie with it.
 *
 * 1. The records at the heads of the key postings by bound, those first that can rank highest in this request: one of them is
 *    nearly always close to the winner. When none may serve: down the key postings by bid, while a bid is above the highest
 *    rank found.
 * 2. Down the key postings by bound, while a bound is above the highest rank found. What a record can rank at most is read
 *    from the posting; only if that is enough, the record itself is looked at.
 *    Should many have high bounds and few of the satisfied affinities, the postings of those are walked instead, after those by
 *    bid: a record without a satisfied affinity ranks at its bid.
 * 3. On down what was walked, while a value is within the tie.
 */
export class Search extends FoundRanks {
  /** Ties stand among the bids and affinities; else among the bounds. */
  byAffinity = false;
  /** One that may serve was passed over because it had just lacked money. */
  lackedMoney = false;
  /** One that may serve was passed over because it had just been refused, whatever for. */
  passedOver = false;
  /** Whether what was refused lately is left out. */
  passesRefused = true;
  /** Ends with the first that may serve and was refused: it is enough to know that there is one. */
  stopsAtRefused = false;
  /** Terms of advertisers whose campaigns are left out; few. Set for each request, `open` keeps them. */
  readonly excludedAdvertisers: number[] = [];
  readonly postings = new ActivePostings();
  readonly #scorer: Scorer;
  readonly #records: Records;
  readonly #terms: Terms;
  /** Since the start: how many entries of postings were read, and of those how many records. */
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

  /** Makes ready for the postings to be added. `searchId` must be another number than that of any other search. */
  open(searchId: number): void {
    this.#searchId = searchId;
    this.clear();
    this.byAffinity = false;
    this.lackedMoney = false;
    this.passedOver = false;
    this.passesRefused = true;
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
    // Fewer found than are to be kept: then all bids have been walked, and so have all records.
    if (this.best < 0 || this.highestRank === Number.NEGATIVE_INFINITY) return;
    postings.dropBelow(this.lowestRank);
    let left = manyEntries;
    for (let walk = 0; walk < bounds.count || postings.addBoundsAbove(this.highestRank); walk += 1) {
      left = this.#walkBounds(walk, left);
      if (left > 0) continue;
      if (this.#chooseAffinities()) return;
      left = Number.POSITIVE_INFINITY;
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

  /** Walks the affinities in place of what is left of the bounds, if those are fewer. */
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

  /** Step 3: lists all ties, unless they are too many: then they are `crowded`. */
  findTies(): void {
    const { postings } = this;
    // All values are whole numbers.
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

  /** Lists all ties however many they are. `searchId` as for `open`. */
  listAll(searchId: number, excluded: readonly number[]): void {
    this.#searchId = searchId;
    for (const address of excluded) this.exclude(address);
    this.listAnew();
    this.#budget = Number.POSITIVE_INFINITY;
    this.postings.restart();
    this.findTies();
  }

  /** @param byBid else by affinity: then the rank is more likely to be too low than a rule to fail */
  #walkAbove(walks: Walks<Posting | BidPosting>, walk: number, byBid: boolean): void {
    const { requestSignature } = this.#scorer;
    const posting = walks.postingAt(walk);
    const entryLength = byBid ? bidLength : affinityLength;
    let block = walks.blocks[walk] ?? 0;
    let offset = walks.places[walk] ?? 0;
    for (; block < posting.blockCount; block += 1) {
      const numbers = posting.numbersAt(block);
      const start = posting.startAt(block);
      const end = posting.endAt(block);
      for (let place = start + offset; place < end; place += entryLength) {
        if ((numbers[place] ?? 0) <= this.highestRank) {
          walks.blocks[walk] = block;
          walks.places[walk] = place - start;
          return;
        }
        this.entryCount += 1;
        if (byBid && !fits(numbers[place + 2] ?? 0, numbers[place + 3] ?? 0, requestSignature)) continue;
        this.#consider(numbers[place + 1] ?? 0, !byBid);
      }
      offset = 0;
    }
    walks.blocks[walk] = block;
    walks.places[walk] = 0;
  }

  /** Looks at no more than `most` entries; returns how many of them are left. */
  #walkBounds(walk: number, most: number): number {
    const { bounds } = this.postings;
    const { missed } = this.#terms;
    const { requestSignature } = this.#scorer;
    let left = most;
    let lowest = reachOf(this.lowestRank);
    let block = bounds.blocks[walk] ?? 0;
    let offset = bounds.places[walk] ?? 0;
    for (; bounds.enter(walk, block); block += 1) {
      const { numbers, start, end } = bounds;
      for (let place = start + offset; place < end; place += lengthAt(numbers, place)) {
        if ((numbers[place] ?? 0) <= this.highestRank || left <= 0) {
          bounds.blocks[walk] = block;
          bounds.places[walk] = place - start;
          bounds.topBounds[walk] = numbers[place] ?? 0;
          return left;
        }
        left -= 1;
        this.entryCount += 1;
        if (reachAbove(numbers, place, requestSignature, missed, lowest) === 0) continue;
        this.#consider(numbers[place + 1] ?? 0, false);
        lowest = reachOf(this.lowestRank);
      }
      offset = 0;
    }
    bounds.blocks[walk] = block;
    bounds.places[walk] = 0;
    bounds.topBounds[walk] = 0;
    return left;
  }

  #walkTies(walks: Walks<Posting | BidPosting>, entryLength: number): void {
    for (let walk = 0; walk < walks.count; walk += 1) {
      const posting = walks.postingAt(walk);
      let offset = walks.places[walk] ?? 0;
      for (let block = walks.blocks[walk] ?? 0; block < posting.blockCount; block += 1) {
        const numbers = posting.numbersAt(block);
        const end = posting.endAt(block);
        let place = posting.startAt(block) + offset;
        for (; place < end && (numbers[place] ?? 0) >= this.lowestRank; place += entryLength) {
          if (this.#isTooMany()) return;
          this.entryCount += 1;
          this.#consider(numbers[place + 1] ?? 0, true);
        }
        if (place < end) break;
        offset = 0;
      }
    }
  }

  #walkBoundTies(bounds: BoundWalks): void {
    const { missed } = this.#terms;
    const { requestSignature } = this.#scorer;
    for (let walk = 0; walk < bounds.count; walk += 1) {
      if ((bounds.topBounds[walk] ?? 0) < this.lowestRank) continue;
      let offset = bounds.places[walk] ?? 0;
      for (let block = bounds.blocks[walk] ?? 0; bounds.enter(walk, block); block += 1) {
        const { numbers, start, end } = bounds;
        let place = start + offset;
        for (; place < end && (numbers[place] ?? 0) >= this.lowestRank; place += lengthAt(numbers, place)) {
          if (this.#isTooMany()) return;
          this.entryCount += 1;
          if (reachAbove(numbers, place, requestSignature, missed, reachOf(this.lowestRank)) > 0) {
            this.#consider(numbers[place + 1] ?? 0, false);
          }
        }
        if (place < end) break;
        offset = 0;
      }
    }
  }

  #isTooMany(): boolean {
    this.#budget -= 1;
    if (this.#budget < 0) this.crowded = true;
    return this.crowded;
  }

  /** @param ranksFirst the rank is more likely to be too low than a rule to fail */
  #consider(address: number, ranksFirst: boolean): void {
    const ints = this.#records.chunkOf(address);
    const floats = this.#records.floatsOf(address);
    const at = placeOf(address);
    if (ints[at + field.searchId] === this.#searchId) return;
    ints[at + field.searchId] = this.#searchId;
    this.recordCount += 1;
    if (ranksFirst && this.#scorer.rankOf(ints, floats, at) < this.lowestRank) return;
    if (!this.#scorer.admits(ints, floats, at, address)) return;
    const rank = this.#scorer.rankOf(ints, floats, at);
    if (rank < this.lowestRank || this.isAdvertiserExcluded(ints[at + field.advertiser] ?? 0)) return;
    if (this.passesRefused && this.#isRefused(ints, at)) return;
    this.note(address, rank);
  }

  #isRefused(ints: Int32Array, at: number): boolean {
    const refused = this.#scorer.refusalOf(ints, at);
    if (refused === refusal.lacksMoney) {
      this.lackedMoney = true;
      // Nothing is above it, so every walk ends.
      if (this.stopsAtRefused) this.highestRank = Number.POSITIVE_INFINITY;
    }
    this.passedOver ||= refused !== refusal.none;
    return refused !== refusal.none;
  }
}
