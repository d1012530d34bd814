import type { CompiledCampaign } from "../compiled/compiled-campaign.ts";
import type { MatchScene } from "../types/request.ts";
import { effects, level } from "./dictionary/effects.ts";
import { Terms } from "./dictionary/terms.ts";
import { Circles } from "./documents/circles.ts";
import { canNeverServe, recordPartsOf } from "./documents/record-parts.ts";
import { field, Records } from "./documents/records.ts";
import { PostingSet } from "./postings/posting-set.ts";
import { RequestReader } from "./search/request-reader.ts";
import { Scorer } from "./search/scorer.ts";
import { Search } from "./search/search.ts";
import { type Random, TieSampling } from "./search/tie-sampling.ts";
import { placeOf } from "./storage/arena.ts";
import { Ended } from "./suppression/ended.ts";
import { Parked } from "./suppression/parked.ts";
import { Refusals, type Span } from "./suppression/refusals.ts";

/** In place of an address: nothing can match the campaign. */
export const nowhere = -1;
const maxSearchId = 0x7fff_ffff;

/** A record that was found, and its rank in the request at hand. */
export interface Found {
  documentId: number;
  rank: number;
}

/** How often a search did what costs most. */
export interface Steps {
  textsFound: number;
  termsActivated: number;
  postingsWalked: number;
  entriesRead: number;
  recordsRead: number;
}

/**
 * The records of the campaigns that can serve, and one search through them at a time: `open`, any questions, `close`.
 * Nothing may change in between. A campaign is known by its document id, a small number.
 */
export class Matching {
  /** By document id: the address of its record, or `nowhere`. */
  readonly #addresses: number[] = [];
  readonly #circles = new Circles();
  readonly #terms = new Terms();
  readonly #records = new Records();
  readonly #live = new PostingSet(this.#records);
  readonly #ended = new Ended(this.#records, this.#live);
  readonly #reader = new RequestReader(this.#terms);
  readonly #parked = new Parked(this.#records, this.#live);
  readonly #refusals = new Refusals(
    this.#records,
    (documentId) => this.addressOf(documentId),
    (documentId, advertiser) => {
      if (documentId >= 0) this.#parked.release(this.addressOf(documentId));
      else this.#parked.releaseAdvertiser(advertiser);
    },
  );
  readonly #scorer = new Scorer(this.#terms, this.#records, this.#refusals, this.#circles);
  readonly #search = new Search(this.#scorer, this.#records, this.#terms);
  readonly #sampling = new TieSampling(this.#scorer, this.#records);
  readonly #excluded: number[] = [];
  #activeTermCount = 0;
  #walkCount = 0;
  #searchId = 0;
  #isOpen = false;
  /** No campaign has a higher priority. */
  #highestPriority = 0;

  /** What all requests since the start have cost, in steps of which most reach for something in memory. */
  get steps(): Steps {
    return {
      textsFound: this.#reader.foundCount,
      termsActivated: this.#activeTermCount,
      postingsWalked: this.#walkCount,
      entriesRead: this.#search.entryCount,
      recordsRead: this.#search.recordCount,
    };
  }

  addressOf(documentId: number): number {
    return this.#addresses[documentId] ?? nowhere;
  }

  /** The document id must be free. */
  add(campaign: CompiledCampaign, documentId: number): void {
    this.#addresses[documentId] = nowhere;
    if (canNeverServe(campaign)) return;
    const parts = recordPartsOf(campaign, documentId, this.#terms);
    const address = this.#records.add(parts);
    this.#addresses[documentId] = address;
    if (parts.circles) this.#circles.put(documentId, campaign.geo, parts.areas);
    this.#highestPriority = Math.max(this.#highestPriority, campaign.source.priority);
    this.#live.chooseKey(address);
    this.#live.add(address);
  }

  remove(documentId: number): void {
    const address = this.addressOf(documentId);
    if (address === nowhere) return;
    this.#refusals.forgetDocument(documentId);
    if (this.#ended.has(address)) this.#ended.remove(address);
    else if (this.#parked.has(address)) this.#parked.remove(address);
    else this.#live.remove(address);
    const advertiser = this.#records.get(address, field.advertiser);
    for (const term of this.#records.terms(address)) this.#terms.release(term);
    if (!this.#terms.isUsed(advertiser)) this.#refusals.forgetAdvertiser(advertiser);
    this.#records.remove(address);
    this.#circles.remove(documentId);
    this.#addresses[documentId] = nowhere;
  }

  refuse(documentId: number, lacksMoney: boolean, span: Span): void {
    if (this.addressOf(documentId) !== nowhere) this.#refusals.refuseDocument(documentId, lacksMoney, span);
  }

  /** @param advertiser in comparable form */
  refuseAdvertiser(advertiser: string, bidCents: number, span: Span): void {
    const term = this.#terms.find(effects.advertiser, advertiser);
    if (term >= 0) this.#refusals.refuseAdvertiser(term, bidCents, span);
  }

  readmitAdvertiser(advertiser: string): void {
    const term = this.#terms.find(effects.advertiser, advertiser);
    if (term >= 0) this.#refusals.forgetAdvertiser(term);
  }

  /** Brings some of those back that were out of the way; whether there is more to do. */
  tidy(nowMs: number): boolean {
    this.#refusals.expire(nowMs);
    const someEnded = this.#ended.restore(nowMs);
    this.#parked.returnSome();
    return someEnded || this.#parked.someReturn;
  }

  /**
   * Activates the flags of the request's terms; `close` must follow.
   * @param excluded document ids to leave out
   * @param excludedAdvertisers in comparable form: all their campaigns are left out
   */
  open(scene: MatchScene, excluded: Iterable<number>, excludedAdvertisers: Iterable<string> = []): void {
    this.tidy(scene.nowMs);
    this.#search.open(this.#nextSearchId());
    if (this.#excluded.length > 0) this.#excluded.length = 0;
    this.#excludeAdvertisers(excludedAdvertisers);
    this.#isOpen = scene.placement.is_active;
    if (!scene.placement.is_active) return;
    this.#reader.read(scene);
    this.#scorer.open(scene);
    this.#search.postings.open(this.#live, this.#terms);
    for (const documentId of excluded) {
      const address = this.addressOf(documentId);
      if (address === nowhere) continue;
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
    this.#walkCount += this.#search.postings.walkCount;
    this.#terms.lowerAll();
    const { ended } = this.#scorer;
    const { met } = this.#refusals;
    for (const address of ended) {
      if (this.#parked.has(address)) this.#parked.unpark(address);
      this.#ended.retire(address);
    }
    for (const documentId of met) this.#parked.park(this.addressOf(documentId));
    // Even for an empty list this is a call into the engine.
    if (ended.length > 0) ended.length = 0;
    if (met.length > 0) met.length = 0;
  }

  /** Goes on among those that lack money for long. */
  #openParked(): void {
    const search = this.#search;
    search.open(this.#nextSearchId());
    if (!this.#isOpen) return;
    search.postings.open(this.#parked.postings, this.#terms);
    for (const address of this.#excluded) search.exclude(address);
  }

  /** Draws one of the ties, with weight priority + 1. */
  draw(random: Random): Found | null {
    const search = this.#search;
    this.#findHighest();
    if (search.best < 0) return null;
    search.findTies();
    const drawn = search.crowded
      ? this.#sampling.draw(search, this.#excluded, this.#highestPriority + 1, random)
      : nowhere;
    if (drawn !== nowhere) return this.#foundAt(drawn);
    if (search.crowded) search.listAll(this.#nextSearchId(), this.#excluded);
    return this.#foundAt(this.#drawListed(random));
  }

  /** Among those that lack money for long only if there is nobody else: one of them may have money again. */
  #findHighest(): void {
    const search = this.#search;
    search.findHighest();
    if (search.best >= 0 || this.#parked.postings.size === 0) return;
    const { lackedMoney, passedOver } = search;
    if (lackedMoney && !this.#parked.someReturn) return;
    this.#openParked();
    search.stopsAtRefused = !this.#parked.someReturn;
    search.findHighest();
    search.lackedMoney ||= lackedMoney;
    search.passedOver ||= passedOver;
  }

  /** After a `draw` that found none: one was passed over because it had just lacked money. */
  get lackedMoney(): boolean {
    return this.#search.lackedMoney;
  }

  /** The same, whatever it had just been refused for. */
  get passedOver(): boolean {
    return this.#search.passedOver;
  }

  /** Those of the `count` highest ranks, refused or not, in descending order. */
  listHighest(count: number): Found[] {
    const search = this.#search;
    const list = () => {
      search.passesRefused = false;
      search.keeps = count;
      search.findHighest();
      return search.found.map((address) => this.#foundAt(address));
    };
    const live = list();
    if (this.#parked.postings.size === 0) return live;
    this.#openParked();
    return [...live, ...list()].sort((left, right) => right.rank - left.rank).slice(0, count);
  }

  /** All that `draw` chooses from. */
  listTies(): Found[] {
    const search = this.#search;
    this.#findHighest();
    if (search.best < 0) return [];
    search.listAll(this.#nextSearchId(), this.#excluded);
    return search.found
      .filter((_, place) => (search.ranks[place] ?? 0) >= search.lowestRank)
      .map((address) => this.#foundAt(address));
  }

  /** The affinity score of a record in the request at hand. */
  scoreOf(documentId: number): number {
    const address = this.addressOf(documentId);
    return this.#scorer.scoreOf(
      this.#records.chunkOf(address),
      this.#records.floatsOf(address),
      placeOf(address),
    );
  }

  /** What each affinity contributes to it, in their order. */
  contributionsOf(documentId: number): number[] {
    const address = this.addressOf(documentId);
    const weights = this.#records.weights(address);
    const contributions: number[] = [];
    for (const [place, term] of this.#records.list(address, field.affinities).entries()) {
      contributions.push(((weights[place] ?? 0) * (this.#terms.flags[term] ?? 0)) / level.full);
    }
    return contributions;
  }

  #drawListed(random: Random): number {
    const { found, ranks, lowestRank } = this.#search;
    const weightOf = (address: number) => this.#records.get(address, field.priority) + 1;
    let totalWeight = 0;
    for (let place = 0; place < found.length; place += 1) {
      if ((ranks[place] ?? 0) >= lowestRank) totalWeight += weightOf(found[place] ?? 0);
    }
    let left = random() * totalWeight;
    let drawn = nowhere;
    for (let place = 0; place < found.length && left >= 0; place += 1) {
      if ((ranks[place] ?? 0) < lowestRank) continue;
      drawn = found[place] ?? nowhere;
      left -= weightOf(drawn);
    }
    return drawn;
  }

  #foundAt(address: number): Found {
    const ints = this.#records.chunkOf(address);
    const at = placeOf(address);
    const rank = this.#scorer.rankOf(ints, this.#records.floatsOf(address), at);
    return { documentId: this.#records.get(address, field.documentId), rank };
  }

  #nextSearchId(): number {
    if (this.#searchId === maxSearchId) {
      this.#searchId = 0;
      for (const address of this.#addresses) {
        if (address !== nowhere) this.#records.set(address, field.searchId, 0);
      }
    }
    this.#searchId += 1;
    return this.#searchId;
  }
}
