import type { Phrase } from "../text/words.ts";
import { type Effect, effects, isOf, levelOf, packed, rolesOf, termOf } from "./effects.ts";
import { dropUnused, Phrases } from "./phrases.ts";
import { anyCell } from "./radius-cells.ts";
import { separator } from "./text-buffer.ts";
import { type TextEntry, TextTable } from "./text-table.ts";

const firstCapacity = 1_024;

/**
 * Everything that campaigns ask for or block, each as a small number, its id. A request raises the flags of the terms that
 * it has; whether a campaign may serve it can then be read from a few flags. Ids are used again once no campaign needs
 * them.
 */
export class Terms {
  readonly texts = new TextTable();
  readonly phrases = new Phrases(this.texts);
  /** By term: how much of it the request at hand has (effects.ts, `level`). */
  flags = new Uint8Array(firstCapacity);
  /** The terms whose flags are up; `raisedCount` of them count. */
  raised = new Int32Array(firstCapacity);
  raisedCount = 0;
  readonly #uses: number[] = [];
  /** By term: the entry of the value, and that of the phrase. */
  readonly #values: (TextEntry | null)[] = [];
  readonly #phraseEntries: (TextEntry | null)[] = [];
  readonly #freeIds: number[] = [];
  /** By cell (radius-cells.ts), one past the last for circles that may be anywhere: the term, or −1. */
  readonly #cells = new Int32Array(anyCell + 1).fill(-1);
  readonly #cellOfTerm = new Map<number, number>();

  isUsed(term: number): boolean {
    return (this.#uses[term] ?? 0) > 0;
  }

  raise(term: number, level: number): void {
    const flag = this.flags[term] ?? 0;
    if (flag >= level) return;
    if (flag === 0) this.raised[this.raisedCount++] = term;
    this.flags[term] = level;
  }

  raiseCell(cell: number): void {
    const term = this.#cells[cell] ?? -1;
    if (term >= 0) this.raise(term, 1);
  }

  /** Raises what the text means in these roles. */
  raiseAll({ notes }: TextEntry, roles: number): void {
    for (let place = 0; place < notes.length; place += 1) {
      const note = notes[place] ?? 0;
      if ((rolesOf(note) & roles) !== 0) this.raise(termOf(note), levelOf(note));
    }
  }

  lowerAll(): void {
    const { flags, raised, raisedCount } = this;
    for (let place = 0; place < raisedCount; place += 1) flags[raised[place] ?? 0] = 0;
    this.raisedCount = 0;
  }

  /** The term of a value in comparable form, used once more. */
  acquireValue(effect: Effect, value: string): number {
    return this.#acquire(this.texts.put(value), effect, null, null);
  }

  /** The same for a text of several parts, as `TextBuffer` joins them. */
  acquireJoined(effect: Effect, ...parts: string[]): number {
    return this.acquireValue(effect, parts.join(separator));
  }

  /** The term of a phrase. */
  acquirePhrase(effect: Effect, phrase: Phrase): number {
    const known = this.texts.get(phrase);
    const id = known === null ? -1 : find(known, effect);
    if (id >= 0) return this.#use(id);
    const entry = this.phrases.acquire(phrase);
    return this.#make(null, entry, effect, effect);
  }

  /** The term of a value that is also sought as a phrase. */
  acquireBoth(effect: Effect, value: string, phraseEffect: Effect, phrase: Phrase | null): number {
    return this.#acquire(this.texts.put(value), effect, phraseEffect, phrase);
  }

  acquireCell(cell: number): number {
    const known = this.#cells[cell] ?? -1;
    if (known >= 0) return this.#use(known);
    const id = this.#make(null, null, effects.country, effects.country);
    this.#cells[cell] = id;
    this.#cellOfTerm.set(id, cell);
    return id;
  }

  /** The term of a value; −1 when no campaign has it. */
  find(effect: Effect, value: string): number {
    const entry = this.texts.get(value);
    return entry === null ? -1 : find(entry, effect);
  }

  /** Ends one use. */
  release(term: number): void {
    const uses = (this.#uses[term] ?? 0) - 1;
    this.#uses[term] = uses;
    if (uses > 0) return;
    const value = this.#values[term] ?? null;
    const phrase = this.#phraseEntries[term] ?? null;
    if (value !== null) {
      value.notes = value.notes.filter((note) => termOf(note) !== term);
      dropUnused(this.texts, value);
    }
    if (phrase !== null) {
      phrase.notes = phrase.notes.filter((note) => termOf(note) !== term);
      this.phrases.release(phrase);
    }
    const cell = this.#cellOfTerm.get(term);
    if (cell !== undefined) {
      this.#cells[cell] = -1;
      this.#cellOfTerm.delete(term);
    }
    this.#values[term] = null;
    this.#phraseEntries[term] = null;
    this.#freeIds.push(term);
  }

  #acquire(value: TextEntry, effect: Effect, phraseEffect: Effect | null, phrase: Phrase | null): number {
    const id = find(value, effect);
    if (id >= 0) return this.#use(id);
    const entry = phrase === null ? null : this.phrases.acquire(phrase);
    return this.#make(value, entry, effect, phraseEffect ?? effect);
  }

  #use(id: number): number {
    this.#uses[id] = (this.#uses[id] ?? 0) + 1;
    return id;
  }

  #make(value: TextEntry | null, phrase: TextEntry | null, effect: Effect, phraseEffect: Effect): number {
    const id = this.#freeIds.pop() ?? this.#uses.length;
    this.#uses[id] = 1;
    this.#values[id] = value;
    this.#phraseEntries[id] = phrase;
    value?.notes.push(packed(id, effect));
    phrase?.notes.push(packed(id, phraseEffect));
    if (id >= this.flags.length) {
      this.flags = new Uint8Array(this.flags.length * 2);
      this.raised = new Int32Array(this.flags.length);
    }
    return id;
  }
}

function find({ notes }: TextEntry, effect: Effect): number {
  const note = notes.find((one) => isOf(one, effect));
  return note === undefined ? -1 : termOf(note);
}
