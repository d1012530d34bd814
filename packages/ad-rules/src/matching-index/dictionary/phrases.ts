import type { Phrase } from "../../text/words.ts";
import type { TextTable } from "./text-table.ts";

const space = 0x20;

/** Units between the first prefix of a phrase and the next; later ones are twice as far apart each time. */
const firstStep = 16;

/**
 * Indexes phrases by their prefixes. The first prefix is the first word: a phrase has a space where a word must begin or end
 * (text/words.ts), so it begins at a space of the text. In scripts that do not separate words, it may begin at any character,
 * and its first prefix is that character. A long phrase has longer prefixes, too. The entry of each prefix lists the length of
 * the next one, or of the phrase: a text is compared with a long phrase only where it has the longest prefix.
 */
export class Phrases {
  readonly #texts: TextTable;
  #phraseCount = 0;
  #unspacedCount = 0;

  constructor(texts: TextTable) {
    this.#texts = texts;
  }

  /** Whether any campaign searches for a phrase. */
  get any(): boolean {
    return this.#phraseCount > 0;
  }

  /** Whether any phrase can begin at a character other than a space. */
  get anyUnspaced(): boolean {
    return this.#unspacedCount > 0;
  }

  /** Returns the entry of a phrase and adds one use; `release` ends it. */
  acquire(phrase: Phrase): number {
    const entry = this.#texts.put(phrase);
    this.#count(phrase, 1);
    this.#texts.countPhrase(entry, 1);
    return entry;
  }

  release(entry: number): void {
    this.#count(this.#texts.textOf(entry), -1);
    this.#texts.countPhrase(entry, -1);
  }

  /** Adds or removes one use of a phrase at its prefixes. */
  #count(phrase: string, more: 1 | -1): void {
    this.#phraseCount += more;
    if (isUnspaced(phrase)) this.#unspacedCount += more;
    const lengths = prefixLengths(phrase);
    for (const [index, length] of lengths.entries()) {
      const prefix = this.#texts.put(phrase.slice(0, length));
      this.#texts.countLonger(prefix, lengths[index + 1] ?? phrase.length, more);
      this.#texts.countPhrase(prefix, more);
    }
  }
}

function isUnspaced(phrase: string): boolean {
  return phrase.charCodeAt(0) !== space;
}

/** The ascending lengths of a phrase's prefixes, itself excluded. */
function prefixLengths(phrase: string): number[] {
  const lengths: number[] = [];
  // The first word with a space before and after it, or the first character of a script without spaces.
  let length = isUnspaced(phrase) ? 1 : phrase.indexOf(" ", 1) + 1;
  for (let step = firstStep; length < phrase.length; step *= 2) {
    lengths.push(length);
    length += step;
  }
  return lengths;
}
