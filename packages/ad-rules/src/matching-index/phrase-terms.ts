import type { Tag } from "../rules/tags.ts";
import type { Phrase } from "../text/words.ts";
import type { PhraseDictionary, PhraseEntry } from "./phrase-dictionary.ts";
import { type Capacity, Posting } from "./posting.ts";
import type { TermTable } from "./posting-table.ts";

/** The keywords that campaigns block, posted at their entries of the dictionary, which the campaigns hold on to. */
export class KeywordTable implements TermTable<Phrase> {
  readonly #phrases: PhraseDictionary;
  readonly #capacity: Capacity;

  constructor(phrases: PhraseDictionary, capacity: Capacity) {
    this.#phrases = phrases;
    this.#capacity = capacity;
  }

  add(keyword: Phrase, slot: number): void {
    const entry = this.#phrases.find(keyword);
    if (entry === undefined) throw new Error(`nobody holds the keyword ${JSON.stringify(keyword)}`);
    entry.keyword ??= new Posting();
    entry.keyword.add(slot, this.#capacity);
  }

  remove(keyword: Phrase, slot: number): void {
    const entry = this.#phrases.find(keyword);
    entry?.keyword?.remove(slot, this.#capacity);
    if (entry?.keyword?.isEmpty) entry.keyword = null;
  }
}

/** The tags that campaigns target, found by their value and, through the dictionary, by their phrase. */
export class TagTable implements TermTable<Tag> {
  readonly #tags = new Map<string, { posting: Posting; entry: PhraseEntry | null }>();
  readonly #phrases: PhraseDictionary;
  readonly #capacity: Capacity;

  constructor(phrases: PhraseDictionary, capacity: Capacity) {
    this.#phrases = phrases;
    this.#capacity = capacity;
  }

  find(value: string): Posting | undefined {
    return this.#tags.get(value)?.posting;
  }

  add({ value, phrase }: Tag, slot: number): void {
    let tag = this.#tags.get(value);
    if (tag === undefined) {
      tag = { posting: new Posting(), entry: phrase === null ? null : this.#phrases.acquire(phrase) };
      if (tag.entry !== null) tag.entry.tags = [...(tag.entry.tags ?? []), tag.posting];
      this.#tags.set(value, tag);
    }
    tag.posting.add(slot, this.#capacity);
  }

  remove({ value }: Tag, slot: number): void {
    const tag = this.#tags.get(value);
    if (tag === undefined) return;
    const { posting, entry } = tag;
    posting.remove(slot, this.#capacity);
    if (!posting.isEmpty) return;
    this.#tags.delete(value);
    if (entry === null) return;
    const others = entry.tags?.filter((other) => other !== posting) ?? [];
    entry.tags = others.length === 0 ? null : others;
    this.#phrases.release(entry);
  }
}
