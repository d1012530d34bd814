import type { Phrase, SearchableText } from "../text/words.ts";
import type { AffinityTerm } from "./affinity-terms.ts";
import type { Posting } from "./posting.ts";

/** A phrase that campaigns ask for, and what it means to them where it occurs. */
export interface PhraseEntry {
  readonly phrase: Phrase;
  /** Campaigns that block it as a keyword. */
  keyword: Posting | null;
  /** Campaigns that target it, one posting per tag that is sought by this phrase. */
  readonly tags: Posting[];
  readonly affinities: AffinityTerm[];
  uses: number;
  /** The next one with the same hash. */
  next: PhraseEntry | null;
  /** The scan that has found it last. */
  foundInScan: number;
}

/** The phrases that begin in one way: one that is this word alone, and the lengths of the others with their numbers. */
interface Beginning {
  only: PhraseEntry | null;
  lengths: number[];
  counts: number[];
}

const hashBase = 0x01000193;
const space = 0x20;
const fieldSeparator = 0x0a;

/**
 * All phrases of all campaigns, found in a text by one scan whose cost does not grow with their number.
 *
 * A phrase is a string with a space where a word must begin or end (text/words.ts), so it can only begin at a space of
 * the text, with its first word, or, in scripts that do not separate words, at any character, with that character. For
 * each such beginning the dictionary knows the lengths of its phrases; a polynomial hash of every prefix of the text
 * gives the hash of each stretch of such a length at once. Whatever the hashes say is confirmed by comparing.
 */
export class PhraseDictionary {
  readonly #byHash = new Map<number, PhraseEntry>();
  readonly #byFirstWord = new Map<number, Beginning>();
  readonly #byFirstUnit = new Map<number, Beginning>();
  #powers = new Int32Array([1]);
  #prefixes = new Int32Array(4096);
  #scan = 0;

  find(phrase: Phrase): PhraseEntry | undefined {
    let entry = this.#byHash.get(hashOf(phrase, phrase.length)) ?? null;
    while (entry !== null && entry.phrase !== phrase) entry = entry.next;
    return entry ?? undefined;
  }

  /** The entry of the phrase, used once more; `release` ends one use. */
  acquire(phrase: Phrase): PhraseEntry {
    const known = this.find(phrase);
    if (known !== undefined) {
      known.uses += 1;
      return known;
    }
    const hash = hashOf(phrase, phrase.length);
    const next = this.#byHash.get(hash) ?? null;
    const entry: PhraseEntry = {
      phrase,
      keyword: null,
      tags: [],
      affinities: [],
      uses: 1,
      next,
      foundInScan: 0,
    };
    this.#byHash.set(hash, entry);
    const [beginnings, key] = this.#beginningOf(phrase);
    let beginning = beginnings.get(key);
    if (beginning === undefined) {
      beginning = { only: null, lengths: [], counts: [] };
      beginnings.set(key, beginning);
    }
    if (beginning.only === null && isOneWord(phrase)) beginning.only = entry;
    else addLength(beginning, phrase.length);
    this.#powersUpTo(phrase.length);
    return entry;
  }

  release(entry: PhraseEntry): void {
    entry.uses -= 1;
    if (entry.uses > 0) return;
    const { phrase } = entry;
    const hash = hashOf(phrase, phrase.length);
    let previous = this.#byHash.get(hash) ?? null;
    if (previous === entry) {
      if (entry.next === null) this.#byHash.delete(hash);
      else this.#byHash.set(hash, entry.next);
    } else {
      while (previous !== null && previous.next !== entry) previous = previous.next;
      if (previous !== null) previous.next = entry.next;
    }
    const [beginnings, key] = this.#beginningOf(phrase);
    const beginning = beginnings.get(key);
    if (beginning === undefined) return;
    if (beginning.only === entry) beginning.only = null;
    else removeLength(beginning, phrase.length);
    if (beginning.only === null && beginning.lengths.length === 0) beginnings.delete(key);
  }

  /**
   * Puts the phrases that occur in the text into `found`, each once, in the order in which they are first seen. Returns
   * how many of them occur before `part`, which must be the length of a whole number of the text's fields.
   */
  scan(text: SearchableText, part: number, found: PhraseEntry[]): number {
    this.#scan += 1;
    const prefixes = this.#prefixesOf(text);
    const anyUnit = this.#byFirstUnit.size > 0;
    let foundInPart = 0;
    let wordAt = -1;
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit === space) {
        if (wordAt >= 0 && at - wordAt > 1) {
          const word = this.#hashWithin(prefixes, wordAt, at - wordAt);
          const beginning = this.#byFirstWord.get(word);
          if (beginning !== undefined) this.#findFrom(text, wordAt, beginning, prefixes, found);
          if (wordAt < part) foundInPart = found.length;
        }
        wordAt = at;
      } else if (unit === fieldSeparator) {
        wordAt = -1;
      } else if (anyUnit && unit > 0x7f) {
        const beginning = this.#byFirstUnit.get(unit);
        if (beginning !== undefined) this.#findFrom(text, at, beginning, prefixes, found);
        if (at < part) foundInPart = found.length;
      }
    }
    return foundInPart;
  }

  #findFrom(
    text: SearchableText,
    at: number,
    { only, lengths }: Beginning,
    prefixes: Int32Array,
    found: PhraseEntry[],
  ): void {
    if (only !== null) this.#confirm(only, text, at, found);
    for (let place = 0; place < lengths.length; place += 1) {
      const length = lengths[place] ?? 0;
      if (at + length > text.length) continue;
      let entry = this.#byHash.get(this.#hashWithin(prefixes, at, length)) ?? null;
      for (; entry !== null; entry = entry.next) this.#confirm(entry, text, at, found);
    }
  }

  #confirm(entry: PhraseEntry, text: SearchableText, at: number, found: PhraseEntry[]): void {
    if (entry.foundInScan === this.#scan || !text.startsWith(entry.phrase, at)) return;
    entry.foundInScan = this.#scan;
    found.push(entry);
  }

  #beginningOf(phrase: Phrase): [Map<number, Beginning>, number] {
    if (phrase.charCodeAt(0) !== space) return [this.#byFirstUnit, phrase.charCodeAt(0)];
    const end = phrase.indexOf(" ", 1);
    return [this.#byFirstWord, hashOf(phrase, end < 0 ? phrase.length : end)];
  }

  /** The hash of each beginning of the text. */
  #prefixesOf(text: SearchableText): Int32Array {
    if (this.#prefixes.length <= text.length) this.#prefixes = new Int32Array(text.length * 2);
    const prefixes = this.#prefixes;
    let hash = 0;
    for (let at = 0; at < text.length; at += 1) {
      hash = (Math.imul(hash, hashBase) + text.charCodeAt(at)) | 0;
      prefixes[at + 1] = hash;
    }
    return prefixes;
  }

  #hashWithin(prefixes: Int32Array, at: number, length: number): number {
    if (length >= this.#powers.length) this.#powersUpTo(length);
    return ((prefixes[at + length] ?? 0) - Math.imul(prefixes[at] ?? 0, this.#powers[length] ?? 0)) | 0;
  }

  #powersUpTo(length: number): void {
    if (length < this.#powers.length) return;
    const powers = new Int32Array(length * 2 + 1);
    powers[0] = 1;
    for (let power = 1; power < powers.length; power += 1) {
      powers[power] = Math.imul(powers[power - 1] ?? 0, hashBase);
    }
    this.#powers = powers;
  }
}

function hashOf(text: string, length: number): number {
  let hash = 0;
  for (let at = 0; at < length; at += 1) hash = (Math.imul(hash, hashBase) + text.charCodeAt(at)) | 0;
  return hash;
}

/** A word with a space before and behind. */
function isOneWord(phrase: Phrase): boolean {
  return phrase.charCodeAt(0) === space && phrase.indexOf(" ", 1) === phrase.length - 1;
}

function addLength({ lengths, counts }: Beginning, length: number): void {
  const place = lengths.indexOf(length);
  if (place >= 0) {
    counts[place] = (counts[place] ?? 0) + 1;
  } else {
    lengths.push(length);
    counts.push(1);
  }
}

function removeLength({ lengths, counts }: Beginning, length: number): void {
  const place = lengths.indexOf(length);
  const left = (counts[place] ?? 0) - 1;
  if (left > 0) {
    counts[place] = left;
  } else if (place >= 0) {
    lengths.splice(place, 1);
    counts.splice(place, 1);
  }
}
