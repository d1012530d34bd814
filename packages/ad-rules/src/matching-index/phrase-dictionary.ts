import type { Phrase, SearchableText } from "../text/words.ts";
import type { Posting } from "./posting.ts";

/** Lengths of phrases, and how many there are of each. */
interface Lengths {
  lengths: number[];
  counts: number[];
}

/** A phrase that campaigns ask for, and what it means to them where it occurs. */
export interface PhraseEntry {
  readonly phrase: Phrase;
  /** Campaigns that block it as a keyword. */
  keyword: Posting | null;
  /** Campaigns that target it, one posting per tag that is sought by this phrase. */
  tags: Posting[] | null;
  /** Affinities that are sought by this phrase, as AffinityTerms notes them. */
  affinities: number[] | null;
  /** Of a single word: the longer phrases that begin with it. */
  longer: Lengths | null;
  uses: number;
  /** The next one with the same hash. */
  next: PhraseEntry | null;
  /** The scan that has found it last. */
  foundInScan: number;
}

const hashBase = 0x01000193;
const space = 0x20;
const fieldSeparator = 0x0a;

/**
 * All phrases of all campaigns, found in a text by one scan whose cost does not grow with their number.
 *
 * A phrase is a string with a space where a word must begin or end (text/words.ts), so it can only begin at a space of
 * the text, with its first word, or, in scripts that do not separate words, at any character, with that character. For
 * each such beginning the dictionary knows the lengths of its phrases (a first word has an entry of its own for that); a
 * polynomial hash of every prefix of the text gives the hash of each stretch of such a length at once. Whatever the hashes
 * say is confirmed by comparing.
 */
export class PhraseDictionary {
  readonly #byHash = new Map<number, PhraseEntry>();
  readonly #byFirstUnit = new Map<number, Lengths>();
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
      tags: null,
      affinities: null,
      longer: null,
      uses: 1,
      next,
      foundInScan: 0,
    };
    this.#byHash.set(hash, entry);
    this.#announce(phrase);
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
    this.#withdraw(phrase);
  }

  /** Makes a new phrase's length known where the phrase begins. */
  #announce(phrase: Phrase): void {
    const word = firstWordOf(phrase);
    if (word === phrase) return;
    if (word !== null) {
      const first = this.acquire(word);
      first.longer ??= { lengths: [], counts: [] };
      addLength(first.longer, phrase.length);
      return;
    }
    const unit = phrase.charCodeAt(0);
    const known = this.#byFirstUnit.get(unit) ?? { lengths: [], counts: [] };
    addLength(known, phrase.length);
    this.#byFirstUnit.set(unit, known);
  }

  /** Undoes `#announce`. */
  #withdraw(phrase: Phrase): void {
    const word = firstWordOf(phrase);
    if (word === phrase) return;
    const first = word === null ? undefined : this.find(word);
    const known = first?.longer ?? this.#byFirstUnit.get(phrase.charCodeAt(0));
    if (known !== undefined) removeLength(known, phrase.length);
    if (first !== undefined) {
      if (first.longer?.lengths.length === 0) first.longer = null;
      this.release(first);
    } else if (known?.lengths.length === 0) {
      this.#byFirstUnit.delete(phrase.charCodeAt(0));
    }
  }

  /**
   * Puts the phrases that occur in the text into `found`, each once, in the order in which they are first seen. Returns
   * how many of them occur before `part`, which must be the length of a whole number of the text's fields.
   */
  scan(text: SearchableText, part: number, found: PhraseEntry[]): number {
    this.#scan += 1;
    this.#hashPrefixes(text);
    const anyUnit = this.#byFirstUnit.size > 0;
    let foundInPart = 0;
    let wordAt = -1;
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit === space) {
        if (wordAt >= 0 && at - wordAt > 1) {
          this.#findWord(text, wordAt, at + 1 - wordAt, found);
          if (wordAt < part) foundInPart = found.length;
        }
        wordAt = at;
      } else if (unit === fieldSeparator) {
        wordAt = -1;
      } else if (anyUnit && unit > 0x7f) {
        const known = this.#byFirstUnit.get(unit);
        if (known !== undefined) this.#findLengths(text, at, known, found);
      }
    }
    return foundInPart;
  }

  /** Whether the phrase occurred in the text that was scanned last. */
  wasFound(entry: PhraseEntry): boolean {
    return entry.foundInScan === this.#scan;
  }

  /** The word between two spaces, and the phrases that begin with it. */
  #findWord(text: SearchableText, at: number, length: number, found: PhraseEntry[]): void {
    let entry = this.#byHash.get(this.#hashWithin(at, length)) ?? null;
    for (; entry !== null; entry = entry.next) {
      if (entry.phrase.length !== length || !text.startsWith(entry.phrase, at)) continue;
      if (entry.foundInScan !== this.#scan) {
        entry.foundInScan = this.#scan;
        found.push(entry);
      }
      if (entry.longer !== null) this.#findLengths(text, at, entry.longer, found);
    }
  }

  #findLengths(text: SearchableText, at: number, { lengths }: Lengths, found: PhraseEntry[]): void {
    for (let place = 0; place < lengths.length; place += 1) {
      const length = lengths[place] ?? 0;
      if (at + length > text.length) continue;
      let entry = this.#byHash.get(this.#hashWithin(at, length)) ?? null;
      for (; entry !== null; entry = entry.next) this.#confirm(entry, text, at, found);
    }
  }

  #confirm(entry: PhraseEntry, text: SearchableText, at: number, found: PhraseEntry[]): void {
    if (entry.foundInScan === this.#scan || !text.startsWith(entry.phrase, at)) return;
    entry.foundInScan = this.#scan;
    found.push(entry);
  }

  /** The hash of each beginning of the text. */
  #hashPrefixes(text: SearchableText): void {
    if (this.#prefixes.length <= text.length) this.#prefixes = new Int32Array(text.length * 2);
    const prefixes = this.#prefixes;
    let hash = 0;
    for (let at = 0; at < text.length; at += 1) {
      hash = (Math.imul(hash, hashBase) + text.charCodeAt(at)) | 0;
      prefixes[at + 1] = hash;
    }
  }

  #hashWithin(at: number, length: number): number {
    if (length >= this.#powers.length) this.#powersUpTo(length);
    const prefixes = this.#prefixes;
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

/** The first word with a space before and behind; null for a phrase that begins in a script without spaces. */
function firstWordOf(phrase: Phrase): Phrase | null {
  if (phrase.charCodeAt(0) !== space) return null;
  return phrase.slice(0, phrase.indexOf(" ", 1) + 1) as Phrase;
}

function addLength({ lengths, counts }: Lengths, length: number): void {
  const place = lengths.indexOf(length);
  if (place >= 0) {
    counts[place] = (counts[place] ?? 0) + 1;
  } else {
    lengths.push(length);
    counts.push(1);
  }
}

function removeLength({ lengths, counts }: Lengths, length: number): void {
  const place = lengths.indexOf(length);
  const left = (counts[place] ?? 0) - 1;
  if (left > 0) {
    counts[place] = left;
  } else if (place >= 0) {
    lengths.splice(place, 1);
    counts.splice(place, 1);
  }
}
