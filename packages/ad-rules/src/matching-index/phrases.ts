import type { Phrase } from "../text/words.ts";
import type { Lengths, TextEntry, TextTable } from "./text-table.ts";

const space = 0x20;

/**
 * Makes phrases known where they begin. A phrase is a string with a space where a word must begin or end (text/words.ts),
 * so it can only begin at a space of a text, with its first word, or, in scripts that do not separate words, at any
 * character, with that character. The entry of that beginning knows the lengths of the phrases that are longer.
 */
export class Phrases {
  readonly #texts: TextTable;
  #count = 0;
  #unspacedCount = 0;

  constructor(texts: TextTable) {
    this.#texts = texts;
  }

  /** Whether any phrase is sought at all. */
  get any(): boolean {
    return this.#count > 0;
  }

  /** Whether any phrase can begin elsewhere than at a space. */
  get anyUnspaced(): boolean {
    return this.#unspacedCount > 0;
  }

  acquire(phrase: Phrase): TextEntry {
    const entry = this.#texts.put(phrase);
    entry.phraseUses += 1;
    this.#count += 1;
    const start = startOf(phrase);
    if (!start.startsWith(" ")) this.#unspacedCount += 1;
    if (start !== phrase) {
      const first = this.#texts.put(start);
      first.phraseUses += 1;
      first.longer ??= { lengths: [], counts: [] };
      addLength(first.longer, phrase.length);
    }
    return entry;
  }

  release(entry: TextEntry): void {
    const start = startOf(entry.text);
    this.#count -= 1;
    if (!start.startsWith(" ")) this.#unspacedCount -= 1;
    if (start !== entry.text) {
      const first = this.#texts.get(start);
      if (first !== null && first.longer !== null) {
        removeLength(first.longer, entry.text.length);
        if (first.longer.lengths.length === 0) first.longer = null;
        this.#releaseOne(first);
      }
    }
    this.#releaseOne(entry);
  }

  #releaseOne(entry: TextEntry): void {
    entry.phraseUses -= 1;
    dropUnused(this.#texts, entry);
  }
}

/** Takes an entry out once it raises nothing and no phrase needs it. */
export function dropUnused(texts: TextTable, entry: TextEntry): void {
  if (entry.phraseUses === 0 && entry.notes.length === 0) texts.drop(entry);
}

/** The first word with a space before and behind, or the first character of a script without spaces. */
function startOf(phrase: string): string {
  if (phrase.charCodeAt(0) !== space) return phrase.charAt(0);
  const end = phrase.indexOf(" ", 1);
  return end < 0 ? phrase : phrase.slice(0, end + 1);
}

function addLength({ lengths, counts }: Lengths, length: number): void {
  const known = lengths.indexOf(length);
  if (known >= 0) {
    counts[known] = (counts[known] ?? 0) + 1;
    return;
  }
  const larger = lengths.findIndex((one) => one > length);
  const place = larger < 0 ? lengths.length : larger;
  lengths.splice(place, 0, length);
  counts.splice(place, 0, 1);
}

function removeLength({ lengths, counts }: Lengths, length: number): void {
  const place = lengths.indexOf(length);
  if (place < 0) return;
  const left = (counts[place] ?? 0) - 1;
  if (left > 0) {
    counts[place] = left;
  } else {
    lengths.splice(place, 1);
    counts.splice(place, 1);
  }
}
