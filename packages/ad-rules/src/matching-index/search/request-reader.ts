import type { MatchScene } from "../../types/request.ts";
import { role } from "../dictionary/effects.ts";
import { anyCell, cellOf } from "../dictionary/radius-cells.ts";
import type { ActiveTerms, Terms } from "../dictionary/terms.ts";
import { TextBuffer } from "../dictionary/text-buffer.ts";
import { extendHash } from "../dictionary/text-hash.ts";
import { noEntry } from "../dictionary/text-table.ts";

/** Scenes that take less effort are read again, which costs little. */
const MIN_REMEMBERED_EFFORT = 4_096;
/**
 * Lookups of longer phrases that count like one unit of text. A scene of usual length never counts more because of others'
 * keywords, however many these are: 2 000 characters, each with a lookup for each of 199 lengths, stay below 16 384 units.
 */
const LOOKUPS_PER_UNIT = 32;

/** What a scene activated in a version of the terms. */
interface ReadScene {
  version: number;
  placement: MatchScene["placement"];
  geo: MatchScene["geo"];
  active: ActiveTerms;
}

/**
 * Activates the flags of all terms of a request. Looks texts up in a buffer, without a normalised copy of the request.
 */
export class RequestReader {
  /** Total texts of requests that the dictionary had. */
  foundCount = 0;
  readonly #terms: Terms;
  readonly #buffer: TextBuffer;
  /** Entries that begin longer phrases, and their offsets in the text. */
  readonly #starts: number[] = [];
  readonly #startOffsets: number[] = [];
  #startCount = 0;
  /** Words of the current text whose hashes are in the dictionary. */
  readonly #knownWords: number[] = [];
  /** Entries of longer phrases that the request has. They are marked, so that each is compared once, however often it occurs. */
  readonly #foundLonger: number[] = [];
  /** UTF-16 units, after normalising, of the texts of the current request in which phrases were sought, and of what is blocked. */
  #readUnits = 0;
  /** Longer phrases that were looked up for the current request. */
  #longerCount = 0;
  #effort = 0;
  /** By context: scenes with long texts, which a request that tries many campaigns would read as often. */
  readonly #readScenes = new WeakMap<MatchScene["context"], ReadScene>();
  /** Entries of the categories that the placement blocks. */
  readonly #blockedCategories: number[] = [];

  constructor(terms: Terms) {
    this.#terms = terms;
    this.#buffer = new TextBuffer(terms.texts.hashKey);
  }

  /** Of reading the current request, in UTF-16 units of texts; 0: it was remembered. */
  get effort(): number {
    return this.#effort;
  }

  /** @param version of the terms: another one after each change */
  read(scene: MatchScene, version: number): void {
    const { context, placement, geo } = scene;
    const known = this.#readScenes.get(context);
    if (known?.version === version && known.placement === placement && known.geo === geo) {
      this.#terms.activateCopied(known.active);
      this.#effort = 0;
      return;
    }
    this.#readUnits = 0;
    this.#longerCount = 0;
    this.#readTexts(scene);
    this.#effort = this.#readUnits + Math.floor(this.#longerCount / LOOKUPS_PER_UNIT);
    if (this.#effort < MIN_REMEMBERED_EFFORT) return;
    this.#readScenes.set(context, { version, placement, geo, active: this.#terms.copyActive() });
  }

  #readTexts({ placement, context, geo }: MatchScene): void {
    this.#buffer.setExact(placement.game_id);
    this.#activate(role.game);
    for (const advertiser of placement.blocked_advertisers) this.#blocked(advertiser, role.blockedAdvertiser);
    if (this.#blockedCategories.length > 0) this.#blockedCategories.length = 0;
    for (const category of placement.blocked_categories) {
      this.#blockedCategories.push(this.#blocked(category, role.blockedCategory));
    }
    // First, because its roles include those of all other texts: a phrase that is found is not sought again.
    if (context.narrative) this.#scan(context.narrative, role.narrative | role.anyText);
    this.#term(context.theme_id, role.theme);
    this.#category(context.category);
    this.#term(context.location, role.location);
    for (const mood of context.mood_tags ?? []) this.#term(mood, role.mood);
    for (const action of context.actions ?? []) this.#term(action, role.action);
    if (geo) this.#place(geo);
    for (const entry of this.#foundLonger) this.#terms.texts.unmark(entry);
    this.#foundLonger.length = 0;
  }

  #value(text: string, roles: number): number {
    this.#buffer.setComparable(text);
    return this.#activate(roles);
  }

  /** What a placement blocks may be longer than the texts of its scenes. */
  #blocked(text: string, roles: number): number {
    const entry = this.#value(text, roles);
    this.#readUnits += this.#buffer.length;
    return entry;
  }

  /** A category that the placement blocks gets no `openCategory` role: rule 2 excludes all campaigns that target it. */
  #category(text: string | null | undefined): void {
    if (!text) return;
    const entry = this.#value(text, role.category);
    if (entry !== noEntry && !this.#blockedCategories.includes(entry)) {
      this.#terms.activateAll(entry, role.openCategory);
    }
    if (this.#buffer.length > 0) this.#scan(text, role.anyText);
  }

  /** A text that is compared and searched for keywords. */
  #term(text: string | null | undefined, roles: number): void {
    if (!text) return;
    this.#value(text, roles);
    if (this.#buffer.length > 0) this.#scan(text, role.anyText);
  }

  #place(geo: NonNullable<MatchScene["geo"]>): void {
    const { country_code: country, state_code: state, city_name: city, lat, lng } = geo;
    if (typeof lat === "number" && typeof lng === "number") {
      this.#terms.activateCell(cellOf({ lat, lng }));
      this.#terms.activateCell(anyCell);
    }
    const buffer = this.#buffer;
    if (!country) return;
    buffer.setComparable(country);
    const countryEnd = buffer.length;
    if (countryEnd === 0) return;
    this.#activate(role.country);
    if (city) {
      buffer.addCityName(city);
      const cityEnd = buffer.length;
      if (cityEnd > countryEnd + 1) {
        this.#activate(role.city);
        if (state) buffer.addComparable(state);
        if (buffer.length > cityEnd + 1) this.#activate(role.cityInState);
      }
      buffer.length = countryEnd;
    }
    if (!state) return;
    buffer.addComparable(state);
    if (buffer.length > countryEnd + 1) this.#activate(role.state);
  }

  /** Activates the terms of the buffer's whole text and returns its entry, or `noEntry`. */
  #activate(roles: number): number {
    const { units, length } = this.#buffer;
    if (length === 0) return noEntry;
    const { texts } = this.#terms;
    const key = texts.hashKey | 0;
    let hash = key;
    for (let at = 0; at < length; at += 1) hash = extendHash(hash, units[at] ?? 0, key);
    const entry = texts.find(hash, units, 0, length);
    if (entry !== noEntry) this.#activateAll(entry, roles);
    return entry;
  }

  /** Activates the terms of the phrases that occur in the text. */
  #scan(text: string, roles: number): void {
    const { phrases, texts } = this.#terms;
    if (!phrases.any) return;
    const buffer = this.#buffer;
    buffer.setSearchable(text);
    this.#readUnits += buffer.length;
    this.#startCount = 0;
    const { wordStarts, wordHashes, wordCount } = buffer;
    const known = this.#knownWords;
    let knownCount = 0;
    for (let word = 0; word < wordCount; word += 1) {
      if (texts.mayHave(wordHashes[word] ?? 0)) known[knownCount++] = word;
    }
    for (let index = 0; index < knownCount; index += 1) {
      const word = known[index] ?? 0;
      const from = wordStarts[word] ?? 0;
      // A word ends with the space at which the next one begins.
      const to = (word + 1 < wordCount ? (wordStarts[word + 1] ?? 0) : buffer.length - 1) + 1;
      const entry = texts.find(wordHashes[word] ?? 0, buffer.units, from, to);
      if (entry !== noEntry) this.#found(entry, from, roles);
    }
    if (phrases.anyUnspaced) this.#findUnspaced(roles);
    for (let index = 0; index < this.#startCount; index += 1) this.#findLonger(index, roles);
  }

  /** Finds phrases of scripts without spaces, which may begin at any character. */
  #findUnspaced(roles: number): void {
    const { texts } = this.#terms;
    const key = texts.hashKey | 0;
    const { units, length } = this.#buffer;
    for (let at = 0; at < length; at += 1) {
      const unit = units[at] ?? 0;
      if (unit <= 0x7f) continue;
      const entry = texts.find(extendHash(key, unit, key), units, at, at + 1);
      if (entry !== noEntry) this.#found(entry, at, roles);
    }
  }

  #found(entry: number, at: number, roles: number): void {
    this.#activateAll(entry, roles);
    if (this.#terms.texts.longerAt(entry, 0) === 0) return;
    this.#starts[this.#startCount] = entry;
    this.#startOffsets[this.#startCount] = at;
    this.#startCount += 1;
  }

  /** Follows the prefixes of phrases for as long as the text has them. */
  #findLonger(index: number, roles: number): void {
    const { texts } = this.#terms;
    const key = texts.hashKey | 0;
    const { units, length } = this.#buffer;
    const from = this.#startOffsets[index] ?? 0;
    let prefix = this.#starts[index] ?? noEntry;
    let hash = texts.hashOf(prefix);
    let at = from + texts.lengthOf(prefix);
    for (let next = 0; ; next += 1) {
      const longer = texts.longerAt(prefix, next);
      const end = from + longer;
      if (longer === 0 || end > length) return;
      for (; at < end; at += 1) hash = extendHash(hash, units[at] ?? 0, key);
      this.#longerCount += 1;
      const entry = texts.find(hash, units, from, end, true);
      if (entry === noEntry) continue;
      this.#activateAll(entry, roles);
      if (texts.longerAt(entry, 0) === 0) {
        texts.mark(entry);
        this.#foundLonger.push(entry);
      } else {
        // The last length that the prefix before it lists.
        prefix = entry;
        next = -1;
      }
    }
  }

  #activateAll(entry: number, roles: number): void {
    this.foundCount += 1;
    this.#terms.activateAll(entry, roles);
  }
}
