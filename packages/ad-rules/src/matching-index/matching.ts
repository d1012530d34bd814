import type { CompiledCampaign } from "../compiled/compiled-campaign.ts";
import type { MatchScene } from "../types/request.ts";
import { effects, level } from "./dictionary/effects.ts";
import { Terms } from "./dictionary/terms.ts";
import { canNeverServe, recordPartsOf } from "./documents/record-parts.ts";
import { field, Records } from "./documents/records.ts";
import { PostingSet } from "./postings/posting-set.ts";
import { RequestReader } from "./search/request-reader.ts";
import { Scorer } from "./search/scorer.ts";
import { Search } from "./search/search.ts";
import { type Random, TieSampling } from "./search/tie-sampling.ts";
import { offsetOf } from "./storage/arena.ts";
import { Ended } from "./suppression/ended.ts";
import { Parked } from "./suppression/parked.ts";
import { advertiserKey, Refusals, type Span } from "./suppression/refusals.ts";

/** In place of an address: no request can match the campaign. */
const noAddress = -1;
const MAX_SEARCH_ID = 0x7fff_ffff;

/** A record and its rank in the current request. */
export interface Found {
  documentId: number;
  rank: number;
}

/** Terms of a removed record, still in use. */
interface TakenTerms {
  advertiser: number;
  terms: Int32Array;
}

/** Counts of the most expensive steps of searches. */
export interface Steps {
  textsFound: number;
  termsActivated: number;
  postingsWalked: number;
  entriesRead: number;
  recordsRead: number;
}

/**
 * The records of the campaigns that can serve, and one search at a time over them: `open`, queries, `close`. The caller
 * must not add or remove records between `open` and `close`.
 */
export class Matching {
  /** By document id: the address of its record, or `noAddress`. */
  readonly #addresses: number[] = [];
  readonly #terms: Terms;
  readonly #records = new Records();
  readonly #live = new PostingSet(this.#records);
  readonly #ended = new Ended(this.#live);
  readonly #reader: RequestReader;
  readonly #parked = new Parked(this.#records, this.#live);
  readonly #refusals = new Refusals((key) => {
    if (key >= 0) this.#parked.release(this.#addressOf(key));
    else this.#parked.releaseAdvertiser(advertiserKey(key));
  });
  readonly #scorer: Scorer;
  readonly #search: Search;
  readonly #sampling: TieSampling;
  readonly #excluded: number[] = [];
  /** Of the terms: counts added and removed records. */
  #version = 0;
  #activeTermCount = 0;
  #searchId = 0;
  #isOpen = false;
  /** Upper bound of all priorities; removing campaigns does not lower it. */
  #maxPriority = 0;

  /** @param hashSeed a secret integer of 32 bits */
  constructor(hashSeed: number) {
    this.#terms = new Terms(hashSeed);
    this.#reader = new RequestReader(this.#terms);
    this.#scorer = new Scorer(this.#terms, this.#records, this.#refusals);
    this.#search = new Search(this.#scorer, this.#records, this.#terms);
    this.#sampling = new TieSampling(this.#scorer, this.#records);
  }

  /** Totals of all requests since the start. Most steps cause a memory access. */
  get steps(): Steps {
    return {
      textsFound: this.#reader.foundCount,
      termsActivated: this.#activeTermCount,
      postingsWalked: this.#search.walkCount,
      entriesRead: this.#search.entryCount,
      recordsRead: this.#search.recordCount,
    };
  }

  /** Of reading the texts of the current request (request-reader.ts). */
  get effort(): number {
    return this.#isOpen ? this.#reader.effort : 0;
  }

  #addressOf(documentId: number): number {
    return this.#addresses[documentId] ?? noAddress;
  }

  /** Adds the record of a campaign, in place of the one that the document id has. */
  put(campaign: CompiledCampaign, documentId: number): void {
    this.#version += 1;
    const before = this.#take(documentId);
    if (!canNeverServe(campaign)) this.#add(campaign, documentId);
    // Last, so that terms of both need not be created again.
    this.#release(before);
  }

  #add(campaign: CompiledCampaign, documentId: number): void {
    const parts = recordPartsOf(campaign, documentId, this.#terms);
    const address = this.#records.add(parts);
    this.#addresses[documentId] = address;
    this.#maxPriority = Math.max(this.#maxPriority, campaign.source.priority);
    this.#live.chooseKey(address);
    this.#live.add(address);
  }

  remove(documentId: number): void {
    this.#version += 1;
    this.#release(this.#take(documentId));
  }

  /** Removes a record, and returns its terms for `#release`; null when there is none. */
  #take(documentId: number): TakenTerms | null {
    const address = this.#addressOf(documentId);
    this.#addresses[documentId] = noAddress;
    if (address === noAddress) return null;
    this.#refusals.forget(documentId);
    if (this.#parked.has(address)) this.#parked.remove(address);
    else if (!this.#ended.remove(address)) this.#live.remove(address);
    const advertiser = this.#records.get(address, field.advertiser);
    const terms = this.#records.terms(address).slice();
    this.#records.remove(address);
    return { advertiser, terms };
  }

  #release(taken: TakenTerms | null): void {
    if (taken === null) return;
    for (const term of taken.terms) this.#terms.release(term);
    if (!this.#terms.isUsed(taken.advertiser)) this.#refusals.forget(advertiserKey(taken.advertiser));
  }

  refuse(documentId: number, lacksMoney: boolean, span: Span): void {
    if (this.#addressOf(documentId) !== noAddress)
      this.#refusals.refuseDocument(documentId, lacksMoney, span);
  }

  /** @param advertiser in comparable form */
  refuseAdvertiser(advertiser: string, bidCents: number, span: Span): void {
    const term = this.#terms.find(effects.advertiser, advertiser);
    if (term >= 0) this.#refusals.refuseAdvertiser(term, bidCents, span);
  }

  readmitAdvertiser(advertiser: string): void {
    const term = this.#terms.find(effects.advertiser, advertiser);
    if (term >= 0) this.#refusals.forget(advertiserKey(term));
  }

  /** Restores some suppressed records to the live posting lists; returns whether more remain. */
  tidy(nowMs: number): boolean {
    this.#refusals.expire(nowMs);
    const someEnded = this.#ended.restore(nowMs);
    this.#parked.returnSome();
    return someEnded || this.#mayReturn;
  }

  /** A parked record may have money again. */
  get #mayReturn(): boolean {
    return this.#parked.someReturn || this.#refusals.isChecking;
  }

  /**
   * Activates the flags of the request's terms. The caller must call `close` afterwards.
   * @param excluded document ids to leave out
   * @param excludedAdvertisers in comparable form; all their campaigns are left out
   */
  open(scene: MatchScene, excluded: Iterable<number>, excludedAdvertisers: Iterable<string> = []): void {
    this.tidy(scene.nowMs);
    this.#search.open(this.#nextSearchId());
    if (this.#excluded.length > 0) this.#excluded.length = 0;
    this.#excludeAdvertisers(excludedAdvertisers);
    this.#isOpen = scene.placement.is_active;
    if (!scene.placement.is_active) return;
    this.#reader.read(scene, this.#version);
    this.#scorer.open(scene);
    this.#search.lists.open(this.#live.lists, this.#terms);
    for (const documentId of excluded) {
      const address = this.#addressOf(documentId);
      if (address === noAddress) continue;
      this.#excluded.push(address);
      this.#search.exclude(address);
    }
  }

  #excludeAdvertisers(advertisers: Iterable<string>): void {
    const { excludedAdvertisers } = this.#search;
    if (excludedAdvertisers.length > 0) excludedAdvertisers.length = 0;
    for (const advertiser of advertisers) {
      const term = this.#terms.find(effects.advertiser, advertiser);
      if (term >= 0) excludedAdvertisers.push(term);
    }
  }

  close(): void {
    this.#activeTermCount += this.#terms.activeTermCount;
    this.#terms.resetAll();
    const { ended } = this.#scorer;
    const { visited } = this.#refusals;
    for (const address of ended) {
      if (this.#parked.has(address)) this.#parked.unpark(address);
      this.#ended.retire(address);
    }
    for (const documentId of visited) this.#parked.park(this.#addressOf(documentId));
    // Setting the length of an empty array is still a call into the engine.
    if (ended.length > 0) ended.length = 0;
    if (visited.length > 0) visited.length = 0;
  }

  /** Continues the search in the posting lists of parked records. */
  #openParked(): void {
    const search = this.#search;
    search.open(this.#nextSearchId());
    if (!this.#isOpen) return;
    search.lists.open(this.#parked.postings.lists, this.#terms);
    for (const address of this.#excluded) search.exclude(address);
  }

  /** Draws one of the ties with weight priority + 1; null when no record may serve. */
  draw(random: Random): Found | null {
    const search = this.#search;
    this.#findHighest();
    if (search.best < 0) return null;
    const drawn = search.crowded
      ? this.#sampling.draw(search, this.#excluded, this.#maxPriority + 1, random)
      : noAddress;
    if (drawn !== noAddress) return this.#foundAt(drawn);
    if (search.crowded) search.listAll(this.#nextSearchId(), this.#excluded);
    search.dropLow();
    return this.#foundAt(this.#drawListed(search.found, random));
  }

  /** Searches parked records only when no other may serve: one of them may have money again. */
  #findHighest(): void {
    const search = this.#search;
    search.findHighest();
    if (search.best >= 0 || this.#parked.postings.size === 0) return;
    const { lackedMoney, passedOver } = search;
    if (lackedMoney && !this.#mayReturn) return;
    this.#openParked();
    search.stopsAtRefused = !this.#mayReturn;
    search.findHighest();
    search.lackedMoney ||= lackedMoney;
    search.passedOver ||= passedOver;
  }

  /** After a `draw` that returned null: a record was skipped because it recently lacked money. */
  get lackedMoney(): boolean {
    return this.#search.lackedMoney;
  }

  /** After a `draw` that returned null: a record was skipped because of any recent refusal. */
  get passedOver(): boolean {
    return this.#search.passedOver;
  }

  /** The `count` highest ranks in descending order, recently refused records included. */
  listHighest(count: number): Found[] {
    const search = this.#search;
    const list = () => {
      search.skipsRefused = false;
      search.keepCount = count;
      search.findHighest();
      return search.found.map((address) => this.#foundAt(address));
    };
    const live = list();
    if (this.#parked.postings.size === 0) return live;
    this.#openParked();
    return [...live, ...list()].sort((left, right) => right.rank - left.rank).slice(0, count);
  }

  /** The records that `draw` chooses from. */
  listTies(): Found[] {
    const search = this.#search;
    this.#findHighest();
    if (search.best < 0) return [];
    search.listAll(this.#nextSearchId(), this.#excluded);
    search.dropLow();
    return search.found.map((address) => this.#foundAt(address));
  }

  /** The affinity score of a record in the current request. */
  scoreOf(documentId: number): number {
    const address = this.#addressOf(documentId);
    return this.#scorer.scoreOf(
      this.#records.chunkOf(address),
      this.#records.floatsOf(address),
      offsetOf(address),
    );
  }

  /** What each affinity contributes to the score, in the order of the campaign's affinities. */
  contributionsOf(documentId: number): number[] {
    const address = this.#addressOf(documentId);
    const weights = this.#records.weights(address);
    const contributions: number[] = [];
    for (const [index, term] of this.#records.list(address, field.affinities).entries()) {
      contributions.push(((weights[index] ?? 0) * (this.#terms.flags[term] ?? 0)) / level.full);
    }
    return contributions;
  }

  #drawListed(ties: readonly number[], random: Random): number {
    const weightOf = (address: number) => this.#records.get(address, field.priority) + 1;
    let totalWeight = 0;
    for (const address of ties) totalWeight += weightOf(address);
    let remaining = random() * totalWeight;
    let drawn = noAddress;
    for (let index = 0; index < ties.length && remaining >= 0; index += 1) {
      drawn = ties[index] ?? noAddress;
      remaining -= weightOf(drawn);
    }
    return drawn;
  }

  #foundAt(address: number): Found {
    const ints = this.#records.chunkOf(address);
    const at = offsetOf(address);
    const rank = this.#scorer.rankOf(ints, this.#records.floatsOf(address), at);
    return { documentId: this.#records.get(address, field.documentId), rank };
  }

  #nextSearchId(): number {
    if (this.#searchId === MAX_SEARCH_ID) {
      this.#searchId = 0;
      for (const address of this.#addresses) {
        if (address !== noAddress) this.#records.set(address, field.searchId, 0);
      }
    }
    this.#searchId += 1;
    return this.#searchId;
  }
}
