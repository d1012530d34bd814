import { comparableCityName } from "../../text/city-name.ts";
import { comparable } from "../../text/equality.ts";
import { plain, plainUnit } from "../../text/plain-units.ts";
import { searchableForm } from "../../text/words.ts";
import { extendHash } from "./text-hash.ts";

/** By ASCII unit: its lower-case form. */
const lowerCase = new Uint8Array(128);
/** By ASCII unit: the lower-case form of a letter or digit; 0 for anything else. */
const inWords = new Uint8Array(128);
/** By ASCII unit: whether trimming removes it. */
const isBlank = new Uint8Array(128);
for (let unit = 0; unit < 128; unit += 1) {
  const text = String.fromCharCode(unit);
  const lower = text.toLowerCase();
  lowerCase[unit] = lower.charCodeAt(0);
  if (/[a-z0-9]/.test(lower)) inWords[unit] = lower.charCodeAt(0);
  if (text.trim() === "") isBlank[unit] = 1;
}
const space = 0x20;
/** Separates the parts of a joined text; comparable texts are lower case and never contain it. */
export const separator = "A";
const separatorUnit = separator.charCodeAt(0);

/**
 * Holds one text at a time as UTF-16 units, normalised for the lookup. Normalises units while copying where each can be
 * normalised alone (plain-units.ts); for other texts calls the functions of `src/text`, whose results define the normal forms.
 */
export class TextBuffer {
  units = new Uint16Array(4_096);
  length = 0;
  /** The words of a searchable text, spaces before and after included: their start offsets and hashes. */
  wordStarts = new Int32Array(1_024);
  wordHashes = new Int32Array(1_024);
  wordCount = 0;
  readonly #hashKey: number;

  /** @param hashKey for `extendHash` */
  constructor(hashKey: number) {
    this.#hashKey = hashKey;
  }

  /** Sets the text without normalising it. */
  setExact(text: string): void {
    this.length = 0;
    this.#append(text);
  }

  /** Sets the text normalised as by `comparable`; the length of a blank text is 0. */
  setComparable(text: string): void {
    this.length = 0;
    this.#appendComparable(text, comparable);
  }

  /** Appends a part of a joined text, normalised as by `comparable`. */
  addComparable(text: string): void {
    this.#reserve(1);
    this.units[this.length++] = separatorUnit;
    this.#appendComparable(text, comparable);
  }

  /** Appends a city name as a part of a joined text, normalised as by `comparableCityName`. */
  addCityName(text: string): void {
    this.#reserve(1);
    this.units[this.length++] = separatorUnit;
    this.#appendComparable(text, (name) => comparableCityName(name) ?? "");
  }

  /** Sets the text normalised as by `searchable`, and its words. */
  setSearchable(text: string): void {
    if (this.#setAsciiWords(text) || this.#setPlainWords(text)) return;
    const form = comparable(text);
    if (!this.#setPlainWords(form)) this.#setAnyWords(form);
  }

  /** Copies and hashes words in one pass; returns false when the text is not ASCII. Takes a seventh less than `#setPlainWords`. */
  #setAsciiWords(text: string): boolean {
    this.#clear(text.length + 2);
    const { units } = this;
    const key = this.#hashKey | 0;
    const firstHash = extendHash(key, space, key);
    let at = 1;
    let hash = firstHash;
    let wordAt = 0;
    units[0] = space;
    for (let index = 0; index <= text.length; index += 1) {
      const unit = index < text.length ? text.charCodeAt(index) : space;
      if (unit > 0x7f) return false;
      const letter = inWords[unit] ?? 0;
      if (letter !== 0) {
        units[at++] = letter;
        hash = extendHash(hash, letter, key);
      } else if (at - 1 > wordAt) {
        units[at++] = space;
        this.#addWord(wordAt, extendHash(hash, space, key));
        wordAt = at - 1;
        hash = firstHash;
      }
    }
    this.length = at;
    return true;
  }

  /** Copies and hashes words in one pass; returns false when a unit cannot be normalised alone. */
  #setPlainWords(text: string): boolean {
    // A space may follow each unit.
    this.#clear(text.length * 2 + 2);
    const { units } = this;
    const key = this.#hashKey | 0;
    const firstHash = extendHash(key, space, key);
    let at = 1;
    let hash = firstHash;
    let wordAt = 0;
    let isWordUnspaced = 0;
    units[0] = space;
    for (let index = 0; index <= text.length; index += 1) {
      const unit = index < text.length ? text.charCodeAt(index) : space;
      let letter = 0;
      let isUnspaced = 0;
      if (unit <= 0x7f) {
        letter = inWords[unit] ?? 0;
      } else {
        const found = plainUnit(unit);
        if ((found & plain.inTexts) === 0) return false;
        if ((found & plain.ofWord) !== 0) letter = found & plain.unit;
        isUnspaced = found & plain.unspaced;
      }
      if ((letter === 0 || isUnspaced !== isWordUnspaced) && at - 1 > wordAt) {
        units[at++] = space;
        this.#addWord(wordAt, extendHash(hash, space, key));
        wordAt = at - 1;
        hash = firstHash;
      }
      if (letter === 0) continue;
      isWordUnspaced = isUnspaced;
      units[at++] = letter;
      hash = extendHash(hash, letter, key);
    }
    this.length = at;
    return true;
  }

  /** @param form in comparable form */
  #setAnyWords(form: string): void {
    this.wordCount = 0;
    this.#append(searchableForm(form));
    const { units, length } = this;
    const key = this.#hashKey | 0;
    const firstHash = extendHash(key, space, key);
    this.#reserveWords(length);
    let wordAt = 0;
    let hash = firstHash;
    for (let at = 1; at < length; at += 1) {
      hash = extendHash(hash, units[at] ?? 0, key);
      if (units[at] !== space || at - 1 === wordAt) continue;
      this.#addWord(wordAt, hash);
      wordAt = at;
      hash = firstHash;
    }
  }

  /** Makes room for a text of at most `length` units. */
  #clear(length: number): void {
    this.length = 0;
    this.wordCount = 0;
    this.#reserve(length);
    this.#reserveWords(length);
  }

  #addWord(at: number, hash: number): void {
    this.wordStarts[this.wordCount] = at;
    this.wordHashes[this.wordCount] = hash;
    this.wordCount += 1;
  }

  #appendComparable(text: string, form: (text: string) => string): void {
    const from = this.length;
    this.#reserve(text.length);
    const { units } = this;
    let end = text.length;
    while (end > 0 && (isBlank[text.charCodeAt(end - 1)] ?? 0) === 1) end -= 1;
    let index = 0;
    while (index < end && (isBlank[text.charCodeAt(index)] ?? 0) === 1) index += 1;
    let at = from;
    for (; index < end; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit <= 0x7f) {
        units[at++] = lowerCase[unit] ?? 0;
        continue;
      }
      const found = form === comparable ? plainUnit(unit) : 0;
      if ((found & plain.inValues) === 0) {
        this.length = from;
        this.#append(form(text));
        return;
      }
      units[at++] = found & plain.unit;
    }
    this.length = at;
  }

  #append(text: string): void {
    this.#reserve(text.length);
    for (let index = 0; index < text.length; index += 1) {
      this.units[this.length + index] = text.charCodeAt(index);
    }
    this.length += text.length;
  }

  #reserve(more: number): void {
    if (this.length + more <= this.units.length) return;
    const units = new Uint16Array((this.length + more) * 2);
    units.set(this.units);
    this.units = units;
  }

  /** Makes room for the words of a text: each has at least one unit and a space after it. */
  #reserveWords(length: number): void {
    const maxWords = (length >>> 1) + 1;
    if (maxWords <= this.wordStarts.length) return;
    this.wordStarts = new Int32Array(maxWords * 2);
    this.wordHashes = new Int32Array(maxWords * 2);
  }
}
