import type { Phrase } from "../../text/words.ts";
import { noEntry, type TextTable } from "./text-table.ts";

const space = 0x20;

/**
 * Indexes phrases by their first word. A phrase has a space where a word must begin or end (text/words.ts), so it begins
 * at a space of the text. In scripts that do not separate words, it may begin at any character and is indexed by that
 * character. The entry of the start lists the lengths of the longer phrases.
 */
export class Phrases {
  readonly #texts: TextTable;
  #count = 0;
  #unspacedCount = 0;

  constructor(texts: TextTable) {
    this.#texts = texts;
  }

  /** Whether any campaign searches for a phrase. */
  get any(): boolean {
    return this.#count > 0;
  }

  /** Whether any phrase can begin at a character other than a space. */
  get anyUnspaced(): boolean {
    return this.#unspacedCount > 0;
  }

  /** Returns the entry of a phrase and adds one use; `release` ends it. */
  acquire(phrase: Phrase): number {
    const entry = this.#texts.put(phrase);
    this.#texts.usePhrase(entry, 1);
    this.#count += 1;
    const start = startOf(phrase);
    if (!start.startsWith(" ")) this.#unspacedCount += 1;
    if (start !== phrase) {
      const first = this.#texts.put(start);
      this.#texts.usePhrase(first, 1);
      this.#texts.addLonger(first, phrase.length);
    }
    return entry;
  }

  release(entry: number): void {
    const phrase = this.#texts.textOf(entry);
    const start = startOf(phrase);
    this.#count -= 1;
    if (!start.startsWith(" ")) this.#unspacedCount -= 1;
    const first = start === phrase ? noEntry : this.#texts.get(start);
    if (first !== noEntry) {
      this.#texts.removeLonger(first, phrase.length);
      this.#texts.usePhrase(first, -1);
    }
    this.#texts.usePhrase(entry, -1);
  }
}

/** The first word with a space before and after it, or the first character of a script without spaces. */
function startOf(phrase: string): string {
  if (phrase.charCodeAt(0) !== space) return phrase.charAt(0);
  const end = phrase.indexOf(" ", 1);
  return end < 0 ? phrase : phrase.slice(0, end + 1);
}
