import type { MatchScene } from "../../types/request.ts";
import { role } from "../dictionary/effects.ts";
import { anyCell, cellOf } from "../dictionary/radius-cells.ts";
import type { Terms } from "../dictionary/terms.ts";
import { TextBuffer } from "../dictionary/text-buffer.ts";
import { hashWith, noEntry } from "../dictionary/text-table.ts";

/**
 * Activates the flags of all terms that a request has. Texts are read unit by unit and looked up where they stand: no
 * normalised copy of the request is made.
 */
export class RequestReader {
  /** Since the start: how many texts were found that campaigns name. */
  foundCount = 0;
  readonly #terms: Terms;
  readonly #buffer = new TextBuffer();
  /** Entries that begin longer phrases, and where they stand. */
  readonly #starts: number[] = [];
  readonly #startPlaces: number[] = [];
  #startCount = 0;
  /** Words of the text at hand whose hashes are known. */
  readonly #knownWords: number[] = [];
  /** Entries of the categories that the placement blocks. */
  readonly #blockedCategories: number[] = [];

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  read({ placement, context, geo }: MatchScene): void {
    this.#buffer.setExact(placement.game_id);
    this.#activate(role.game);
    for (const advertiser of placement.blocked_advertisers) this.#value(advertiser, role.blockedAdvertiser);
    if (this.#blockedCategories.length > 0) this.#blockedCategories.length = 0;
    for (const category of placement.blocked_categories) {
      this.#blockedCategories.push(this.#value(category, role.blockedCategory));
    }
    if (context.narrative) this.#scan(context.narrative, role.narrative | role.anyText);
    this.#term(context.theme_id, role.theme);
    this.#category(context.category);
    this.#term(context.location, role.location);
    for (const mood of context.mood_tags ?? []) this.#term(mood, role.mood);
    for (const action of context.actions ?? []) this.#term(action, role.action);
    if (geo) this.#place(geo);
  }

  #value(text: string, roles: number): number {
    this.#buffer.setComparable(text);
    return this.#activate(roles);
  }

  /** Whoever targets a category that the placement blocks is blocked himself: nobody need be sought there. */
  #category(text: string | null | undefined): void {
    if (!text) return;
    const entry = this.#value(text, role.category);
    if (entry !== noEntry && !this.#blockedCategories.includes(entry)) {
      this.#terms.activateAll(entry, role.openCategory);
    }
    if (this.#buffer.length > 0) this.#scan(text, role.anyText);
  }

  /** A text that is compared, and in which keywords are sought. */
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

  /** What the buffer has as a whole: its entry, if there is one. */
  #activate(roles: number): number {
    const { units, length } = this.#buffer;
    if (length === 0) return noEntry;
    let hash = 0;
    for (let at = 0; at < length; at += 1) hash = hashWith(hash, units[at] ?? 0);
    const entry = this.#terms.texts.find(hash, units, 0, length);
    if (entry !== noEntry) this.#activateAll(entry, roles);
    return entry;
  }

  /** The phrases that occur in the text. */
  #scan(text: string, roles: number): void {
    const { phrases, texts } = this.#terms;
    if (!phrases.any) return;
    const buffer = this.#buffer;
    buffer.setSearchable(text);
    this.#startCount = 0;
    const { wordPlaces, wordHashes, wordCount } = buffer;
    const known = this.#knownWords;
    let knownCount = 0;
    for (let word = 0; word < wordCount; word += 1) {
      if (texts.mayHave(wordHashes[word] ?? 0)) known[knownCount++] = word;
    }
    for (let place = 0; place < knownCount; place += 1) {
      const word = known[place] ?? 0;
      const from = wordPlaces[word] ?? 0;
      // A word ends with the space that the next one begins with.
      const to = (word + 1 < wordCount ? (wordPlaces[word + 1] ?? 0) : buffer.length - 1) + 1;
      const entry = texts.find(wordHashes[word] ?? 0, buffer.units, from, to);
      if (entry !== noEntry) this.#found(entry, from, roles);
    }
    if (phrases.anyUnspaced) this.#findUnspaced(roles);
    for (let place = 0; place < this.#startCount; place += 1) this.#findLonger(place, roles);
  }

  /** Phrases of scripts without spaces, which may begin at any character. */
  #findUnspaced(roles: number): void {
    const { units, length } = this.#buffer;
    for (let at = 0; at < length; at += 1) {
      const unit = units[at] ?? 0;
      if (unit <= 0x7f) continue;
      const entry = this.#terms.texts.find(unit, units, at, at + 1);
      if (entry !== noEntry) this.#found(entry, at, roles);
    }
  }

  #found(entry: number, at: number, roles: number): void {
    this.#activateAll(entry, roles);
    if (this.#terms.texts.longerAt(entry, 0) === 0) return;
    this.#starts[this.#startCount] = entry;
    this.#startPlaces[this.#startCount] = at;
    this.#startCount += 1;
  }

  #findLonger(place: number, roles: number): void {
    const { texts } = this.#terms;
    const start = this.#starts[place] ?? noEntry;
    const { units, length } = this.#buffer;
    const from = this.#startPlaces[place] ?? 0;
    let hash = texts.hashOf(start);
    let at = from + texts.lengthOf(start);
    for (let next = 0; ; next += 1) {
      const longer = texts.longerAt(start, next);
      const end = from + longer;
      if (longer === 0 || end > length) return;
      for (; at < end; at += 1) hash = hashWith(hash, units[at] ?? 0);
      const entry = texts.find(hash, units, from, end);
      if (entry !== noEntry) this.#activateAll(entry, roles);
    }
  }

  #activateAll(entry: number, roles: number): void {
    this.foundCount += 1;
    this.#terms.activateAll(entry, roles);
  }
}
