import { comparableCityName } from "../../text/city-name.ts";
import { comparable } from "../../text/equality.ts";
import { searchable } from "../../text/words.ts";
import { hashWith } from "./text-table.ts";

/** By ASCII unit: its lower case. */
const lowerCase = new Uint8Array(128);
/** By ASCII unit: the lower case of a letter or digit, 0 of anything else. */
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
/** The hash of the space before a word. */
const firstHash: number = space;
/** Stands between the parts of a joined text: texts in lower case never have it. */
export const separator = "A";
const separatorUnit = separator.charCodeAt(0);

/**
 * One text at a time as UTF-16 units, in the form in which it is looked up. ASCII texts are brought into it on the way;
 * others by the functions of `text`, whose forms these are.
 */
export class TextBuffer {
  units = new Uint16Array(4_096);
  length = 0;
  /** Of a searchable text the words, each with the spaces before and behind it: where they begin, and their hashes. */
  wordPlaces = new Int32Array(1_024);
  wordHashes = new Int32Array(1_024);
  wordCount = 0;

  /** The text as it is. */
  setExact(text: string): void {
    this.length = 0;
    this.#append(text);
  }

  /** The text as `comparable` makes it; blank ones have the length 0. */
  setComparable(text: string): void {
    this.length = 0;
    this.#appendComparable(text, comparable);
  }

  /** A further part of a joined text. */
  addComparable(text: string): void {
    this.#room(1);
    this.units[this.length++] = separatorUnit;
    this.#appendComparable(text, comparable);
  }

  /** The same of a city name, as `comparableCityName` makes it. */
  addCityName(text: string): void {
    this.#room(1);
    this.units[this.length++] = separatorUnit;
    this.#appendComparable(text, (name) => comparableCityName(name) ?? "");
  }

  /** The text as `searchable` makes it, and its words. */
  setSearchable(text: string): void {
    this.length = 0;
    this.wordCount = 0;
    this.#room(text.length + 2);
    this.#wordRoom(text.length);
    if (!this.#setAsciiWords(text)) this.#setAnyWords(text);
  }

  /** One pass, in which words are copied and hashed; false when it is not ASCII. */
  #setAsciiWords(text: string): boolean {
    const { units } = this;
    let at = 1;
    let hash = firstHash;
    let wordAt = 0;
    units[0] = space;
    for (let place = 0; place <= text.length; place += 1) {
      const unit = place < text.length ? text.charCodeAt(place) : space;
      if (unit > 0x7f) return false;
      const letter = inWords[unit] ?? 0;
      if (letter !== 0) {
        units[at++] = letter;
        hash = hashWith(hash, letter);
      } else if (at - 1 > wordAt) {
        units[at++] = space;
        this.#addWord(wordAt, hashWith(hash, space));
        wordAt = at - 1;
        hash = firstHash;
      }
    }
    this.length = at;
    return true;
  }

  #setAnyWords(text: string): void {
    this.wordCount = 0;
    this.#append(searchable(text));
    const { units, length } = this;
    this.#wordRoom(length);
    let wordAt = 0;
    let hash = firstHash;
    for (let at = 1; at < length; at += 1) {
      hash = hashWith(hash, units[at] ?? 0);
      if (units[at] !== space) continue;
      this.#addWord(wordAt, hash);
      wordAt = at;
      hash = firstHash;
    }
  }

  #addWord(at: number, hash: number): void {
    this.wordPlaces[this.wordCount] = at;
    this.wordHashes[this.wordCount] = hash;
    this.wordCount += 1;
  }

  #appendComparable(text: string, form: (text: string) => string): void {
    const from = this.length;
    this.#room(text.length);
    const { units } = this;
    let end = text.length;
    while (end > 0 && (isBlank[text.charCodeAt(end - 1)] ?? 0) === 1) end -= 1;
    let place = 0;
    while (place < end && (isBlank[text.charCodeAt(place)] ?? 0) === 1) place += 1;
    let at = from;
    for (; place < end; place += 1) {
      const unit = text.charCodeAt(place);
      if (unit > 0x7f) {
        this.length = from;
        this.#append(form(text));
        return;
      }
      units[at++] = lowerCase[unit] ?? 0;
    }
    this.length = at;
  }

  #append(text: string): void {
    this.#room(text.length);
    for (let place = 0; place < text.length; place += 1) {
      this.units[this.length + place] = text.charCodeAt(place);
    }
    this.length += text.length;
  }

  #room(more: number): void {
    if (this.length + more <= this.units.length) return;
    const units = new Uint16Array((this.length + more) * 2);
    units.set(this.units);
    this.units = units;
  }

  /** A word has at least one unit, and a space behind it. */
  #wordRoom(length: number): void {
    const most = (length >>> 1) + 1;
    if (most <= this.wordPlaces.length) return;
    this.wordPlaces = new Int32Array(most * 2);
    this.wordHashes = new Int32Array(most * 2);
  }
}
