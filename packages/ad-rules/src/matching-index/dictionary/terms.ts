import type { Phrase } from "../../text/words.ts";
import { allMissed, bucketOf } from "./buckets.ts";
import {
  affinityLevelIn,
  type Effect,
  effects,
  group,
  groupIn,
  haveRole,
  isOf,
  levelIn,
  level as levels,
  packed,
  termOf,
  traitsOf,
} from "./effects.ts";
import { Phrases } from "./phrases.ts";
import { anyCell } from "./radius-cells.ts";
import { categoryBit, placeBit } from "./signature.ts";
import { separator } from "./text-buffer.ts";
import { hashKeyOf } from "./text-hash.ts";
import { noEntry, TextTable } from "./text-table.ts";

const firstCapacity = 1_024;

/** The active terms of a request. */
export interface ActiveTerms {
  terms: Int32Array;
  flags: Uint8Array;
  /** What the affinity buckets of the terms miss. */
  missed: Uint8Array;
  keys: Int32Array;
  places: readonly number[];
  categories: readonly number[];
  categoryBits: number;
  placeBits: number;
}

/**
 * The term dictionary: maps what campaigns target or block to small numbers. A request activates the flags of its terms;
 * the scorer then reads a few flags per campaign. Numbers are reference-counted and reused.
 */
export class Terms {
  readonly texts: TextTable;
  readonly phrases: Phrases;
  /** By term: its `level` (effects.ts) in the current request. */
  flags = new Uint8Array(firstCapacity);
  /** The terms with a flag; only the first `activeTermCount` entries are valid. */
  activeTerms = new Int32Array(firstCapacity);
  activeTermCount = 0;
  /** The active terms that may be keys of posting lists; only the first `activeKeyCount` entries are valid. */
  activeKeys = new Int32Array(firstCapacity);
  activeKeyCount = 0;
  /** Those among the active keys that are places, and those that are categories: a handful. */
  readonly activePlaces: number[] = [];
  readonly activeCategories: number[] = [];
  /** By affinity bucket (buckets.ts): what the request misses. */
  readonly missed = allMissed();
  /** Signature bits of the active keys (signature.ts). */
  categoryBits = 0;
  placeBits = 0;
  readonly #uses: number[] = [];
  /** By term: the entries of its value and of its phrase. */
  readonly #values: number[] = [];
  readonly #phraseEntries: number[] = [];
  readonly #freeIds: number[] = [];
  /** By cell (radius-cells.ts), `anyCell` included: the term, or −1. */
  readonly #cells = new Int32Array(anyCell + 1).fill(-1);
  readonly #cellOfTerm = new Map<number, number>();

  /** @param hashSeed a secret integer of 32 bits */
  constructor(hashSeed: number) {
    this.texts = new TextTable(hashKeyOf(hashSeed));
    this.phrases = new Phrases(this.texts);
  }

  isUsed(term: number): boolean {
    return (this.#uses[term] ?? 0) > 0;
  }

  /** Returns whether this is the term's first activation in the request. */
  activate(term: number, level: number): boolean {
    const flag = this.flags[term] ?? 0;
    if (flag >= level) return false;
    this.flags[term] = level;
    if (flag !== 0) return false;
    this.activeTerms[this.activeTermCount++] = term;
    return true;
  }

  activateCell(cell: number): void {
    const term = this.#cells[cell] ?? -1;
    if (term < 0) return;
    if (this.activate(term, levels.half)) this.#activateKey(term, group.place);
  }

  /** Activates the terms that the entry's text has in these roles. */
  activateAll(entry: number, roles: number): void {
    this.texts.eachNote(entry, this, roles);
  }

  /** Activates the note's term if it applies in one of these roles. */
  takeNote(note: number, roles: number): void {
    const traits = traitsOf(note);
    if (!haveRole(traits, roles)) return;
    const term = termOf(note);
    const isFirst = this.activate(term, levelIn(traits));
    const keyGroup = groupIn(traits);
    if (keyGroup !== group.none) {
      if (isFirst) this.#activateKey(term, keyGroup);
      return;
    }
    const missed = levels.full - affinityLevelIn(traits);
    const bucket = bucketOf(term);
    if (missed < (this.missed[bucket] ?? 0)) this.missed[bucket] = missed;
  }

  #activateKey(term: number, keyGroup: number): void {
    this.activeKeys[this.activeKeyCount++] = term;
    if (keyGroup === group.category) {
      this.categoryBits |= categoryBit(term);
      this.activeCategories.push(term);
    } else if (keyGroup === group.place) {
      this.placeBits |= placeBit(term);
      this.activePlaces.push(term);
    }
  }

  copyActive(): ActiveTerms {
    const terms = this.activeTerms.slice(0, this.activeTermCount);
    return {
      terms,
      flags: Uint8Array.from(terms, (term) => this.flags[term] ?? 0),
      missed: Uint8Array.from(terms, (term) => this.missed[bucketOf(term)] ?? 0),
      keys: this.activeKeys.slice(0, this.activeKeyCount),
      places: [...this.activePlaces],
      categories: [...this.activeCategories],
      categoryBits: this.categoryBits,
      placeBits: this.placeBits,
    };
  }

  /** Activates copied terms again. None may be active, and none have been created or released since. */
  activateCopied({ terms, flags, missed, keys, places, categories, ...bits }: ActiveTerms): void {
    for (const [index, term] of terms.entries()) {
      this.flags[term] = flags[index] ?? 0;
      this.missed[bucketOf(term)] = missed[index] ?? 0;
    }
    this.activeTerms.set(terms);
    this.activeTermCount = terms.length;
    this.activeKeys.set(keys);
    this.activeKeyCount = keys.length;
    this.activePlaces.push(...places);
    this.activeCategories.push(...categories);
    this.categoryBits = bits.categoryBits;
    this.placeBits = bits.placeBits;
  }

  resetAll(): void {
    const { flags, missed, activeTerms, activeTermCount } = this;
    for (let index = 0; index < activeTermCount; index += 1) {
      const term = activeTerms[index] ?? 0;
      flags[term] = levels.none;
      missed[bucketOf(term)] = levels.full;
    }
    this.activeTermCount = 0;
    this.activeKeyCount = 0;
    // Setting the length of an empty array is still a call into the engine.
    if (this.activePlaces.length > 0) this.activePlaces.length = 0;
    if (this.activeCategories.length > 0) this.activeCategories.length = 0;
    this.categoryBits = 0;
    this.placeBits = 0;
  }

  /** Returns the term of a value in comparable form and adds one use; `release` ends it. */
  acquireValue(effect: Effect, value: string): number {
    return this.acquireBoth(effect, value, effect, null);
  }

  /** `acquireValue` for a text of several parts, joined as in `TextBuffer`. */
  acquireJoined(effect: Effect, ...parts: string[]): number {
    return this.acquireValue(effect, parts.join(separator));
  }

  /** `acquireValue` for a phrase. */
  acquirePhrase(effect: Effect, phrase: Phrase): number {
    const id = this.find(effect, phrase);
    if (id >= 0) return this.#use(id);
    return this.#make(noEntry, this.phrases.acquire(phrase), effect, effect);
  }

  /** `acquireValue` for a value that is also searched for as a phrase. */
  acquireBoth(effect: Effect, value: string, phraseEffect: Effect, phrase: Phrase | null): number {
    const entry = this.texts.put(value);
    const id = this.#findIn(entry, effect);
    if (id >= 0) return this.#use(id);
    const phraseEntry = phrase === null ? noEntry : this.phrases.acquire(phrase);
    return this.#make(entry, phraseEntry, effect, phraseEffect);
  }

  isCell(term: number): boolean {
    return this.#cellOfTerm.has(term);
  }

  acquireCell(cell: number): number {
    const known = this.#cells[cell] ?? -1;
    if (known >= 0) return this.#use(known);
    const id = this.#make(noEntry, noEntry, effects.country, effects.country);
    this.#cells[cell] = id;
    this.#cellOfTerm.set(id, cell);
    return id;
  }

  /** The term of a value or phrase; −1 when no campaign has it. */
  find(effect: Effect, text: string): number {
    const entry = this.texts.get(text);
    return entry === noEntry ? -1 : this.#findIn(entry, effect);
  }

  /** Ends one use. */
  release(term: number): void {
    const uses = (this.#uses[term] ?? 0) - 1;
    this.#uses[term] = uses;
    if (uses > 0) return;
    const value = this.#values[term] ?? noEntry;
    const phrase = this.#phraseEntries[term] ?? noEntry;
    if (value !== noEntry) this.#removeNote(value, term);
    if (phrase !== noEntry) {
      this.#removeNote(phrase, term);
      this.phrases.release(phrase);
    }
    const cell = this.#cellOfTerm.get(term);
    if (cell !== undefined) {
      this.#cells[cell] = -1;
      this.#cellOfTerm.delete(term);
    }
    this.#values[term] = noEntry;
    this.#phraseEntries[term] = noEntry;
    this.#freeIds.push(term);
  }

  #use(id: number): number {
    this.#uses[id] = (this.#uses[id] ?? 0) + 1;
    return id;
  }

  #make(value: number, phrase: number, effect: Effect, phraseEffect: Effect): number {
    const id = this.#freeIds.pop() ?? this.#uses.length;
    this.#uses[id] = 1;
    this.#values[id] = value;
    this.#phraseEntries[id] = phrase;
    if (value !== noEntry) this.texts.addNote(value, packed(id, effect));
    if (phrase !== noEntry) this.texts.addNote(phrase, packed(id, phraseEffect));
    if (id >= this.flags.length) {
      this.flags = new Uint8Array(this.flags.length * 2);
      this.activeTerms = new Int32Array(this.flags.length);
      this.activeKeys = new Int32Array(this.flags.length);
    }
    return id;
  }

  #findIn(entry: number, effect: Effect): number {
    let note = this.texts.noteAt(entry, 0);
    for (let index = 1; note !== 0; index += 1) {
      if (isOf(note, effect)) return termOf(note);
      note = this.texts.noteAt(entry, index);
    }
    return -1;
  }

  #removeNote(entry: number, term: number): void {
    let note = this.texts.noteAt(entry, 0);
    for (let index = 1; note !== 0 && termOf(note) !== term; index += 1) {
      note = this.texts.noteAt(entry, index);
    }
    this.texts.removeNote(entry, note);
  }
}
