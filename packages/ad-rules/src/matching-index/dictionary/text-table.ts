import { Arena, offsetOf } from "../storage/arena.ts";
import { NumberLists } from "../storage/number-lists.ts";
import { hashOf, spread } from "./text-hash.ts";

/** Fields of an entry. Its UTF-16 units follow, two per number. */
const field = {
  length: 0,
  hash: 1,
  /** Number of phrases of campaigns that equal this text or have it as a prefix. */
  phraseUses: 2,
  /** Lists: the notes beyond the inline ones; pairs of a longer length (ascending) and the number of phrases that have it. */
  moreNotes: 3,
  longer: 4,
  /** 1 while marked, else 0. */
  marked: 5,
  /** The first inline note; 0 means none. */
  firstNote: 6,
} as const;
const inlineNotes = 3;
const headerLength = field.firstNote + inlineNotes;

/** Enough segments that growing one of them causes no noticeable pause. */
const segmentBits = 6;
const firstBuckets = 16;
/** In place of an entry's address. */
export const noEntry = -1;

/**
 * Hash table of the texts that campaigns name, with notes on which terms each text activates (effects.ts).
 *
 * Lookups take units of a buffer, so that no string is allocated, and cause few cache misses: a bucket holds the hash
 * beside the entry's address, and an entry's notes and units are contiguous.
 */
export class TextTable {
  readonly hashKey: number;
  /** Open-addressing tables of (hash, address + 1) pairs; 0 marks a free bucket. Lengths are powers of two. */
  readonly #segments: Int32Array[] = [];
  readonly #sizes: number[] = [];
  readonly #arena = new Arena();
  readonly #lists = new NumberLists(this.#arena);
  /** Scratch space for lookups by string. */
  #units = new Uint16Array(1_024);

  /** @param hashKey for `extendHash` */
  constructor(hashKey: number) {
    this.hashKey = hashKey;
    for (let segment = 0; segment < 1 << segmentBits; segment += 1) {
      this.#segments.push(new Int32Array(firstBuckets * 2));
      this.#sizes.push(0);
    }
  }

  get(text: string): number {
    return this.#lookUp(text, hashOf(text, this.hashKey));
  }

  #lookUp(text: string, hash: number): number {
    if (this.#units.length < text.length) this.#units = new Uint16Array(text.length * 2);
    for (let at = 0; at < text.length; at += 1) this.#units[at] = text.charCodeAt(at);
    return this.find(hash, this.#units, 0, text.length);
  }

  /**
   * The entry of the units in [`from`, `to`), or `noEntry`. The caller must pass their hash.
   *
   * @param skipsMarked whether a marked entry counts as missing; its units are then not compared
   */
  find(hash: number, units: Uint16Array, from: number, to: number, skipsMarked = false): number {
    const mixed = mix(hash);
    const buckets = this.#segmentAt(mixed >>> (32 - segmentBits));
    const mask = buckets.length - 1;
    for (let at = (mixed << 1) & mask; ; at = (at + 2) & mask) {
      const address = (buckets[at + 1] ?? 0) - 1;
      if (address === noEntry) return noEntry;
      if (buckets[at] !== hash || (skipsMarked && this.#get(address, field.marked) === 1)) continue;
      if (this.#isAt(address, units, from, to)) return address;
    }
  }

  mark(address: number): void {
    this.#set(address, field.marked, 1);
  }

  unmark(address: number): void {
    this.#set(address, field.marked, 0);
  }

  /** Whether an entry may have this hash. Successive calls are independent, so their cache misses overlap. */
  mayHave(hash: number): boolean {
    const mixed = mix(hash);
    const buckets = this.#segmentAt(mixed >>> (32 - segmentBits));
    const mask = buckets.length - 1;
    let at = (mixed << 1) & mask;
    while (buckets[at + 1] !== 0) {
      if (buckets[at] === hash) return true;
      at = (at + 2) & mask;
    }
    return false;
  }

  /** Returns the entry of the text; creates it when it does not exist. */
  put(text: string): number {
    const hash = hashOf(text, this.hashKey);
    const known = this.#lookUp(text, hash);
    if (known !== noEntry) return known;
    const address = this.#arena.allocate(headerLength + ((text.length + 1) >>> 1));
    const ints = this.#arena.chunkOf(address);
    const offset = offsetOf(address);
    ints.fill(0, offset, offset + headerLength + ((text.length + 1) >>> 1));
    ints[offset + field.length] = text.length;
    ints[offset + field.hash] = hash;
    for (let at = 0; at < text.length; at += 1) {
      const word = offset + headerLength + (at >>> 1);
      ints[word] = (ints[word] ?? 0) | (text.charCodeAt(at) << ((at & 1) * 16));
    }
    this.#insert(hash, address);
    return address;
  }

  textOf(address: number): string {
    const length = this.#get(address, field.length);
    return String.fromCharCode(...Array.from({ length }, (_, at) => this.#unitAt(address, at)));
  }

  lengthOf(address: number): number {
    return this.#get(address, field.length);
  }

  hashOf(address: number): number {
    return this.#get(address, field.hash);
  }

  /** The n-th of the ascending lengths of longer texts that start with this one (phrases.ts); 0 past the last. */
  longerAt(address: number, number: number): number {
    return this.#lists.at(this.#get(address, field.longer), number * 2);
  }

  /** The n-th note; 0 past the last. */
  noteAt(address: number, number: number): number {
    if (number < inlineNotes) return this.#get(address, field.firstNote + number);
    return this.#lists.at(this.#get(address, field.moreNotes), number - inlineNotes);
  }

  /** Calls `takeNote` for each note of an entry; faster than `noteAt` one by one. */
  eachNote(address: number, take: { takeNote(note: number, roles: number): void }, roles: number): void {
    const ints = this.#arena.chunkOf(address);
    const from = offsetOf(address) + field.firstNote;
    for (let at = from; at < from + inlineNotes; at += 1) {
      const note = ints[at] ?? 0;
      if (note === 0) return;
      take.takeNote(note, roles);
    }
    const more = ints[offsetOf(address) + field.moreNotes] ?? 0;
    for (let index = 0; ; index += 1) {
      const note = this.#lists.at(more, index);
      if (note === 0) return;
      take.takeNote(note, roles);
    }
  }

  /** @param note above 0 */
  addNote(address: number, note: number): void {
    this.#setNotes(address, [...this.#notes(address), note]);
  }

  removeNote(address: number, note: number): void {
    this.#setNotes(
      address,
      this.#notes(address).filter((one) => one !== note),
    );
    this.#dropUnused(address);
  }

  /** Adds or removes one phrase that equals this text or has it as a prefix. */
  countPhrase(address: number, more: 1 | -1): void {
    this.#set(address, field.phraseUses, this.#get(address, field.phraseUses) + more);
    this.#dropUnused(address);
  }

  /** Adds or removes one longer text of this length that starts with this one. */
  countLonger(address: number, length: number, more: 1 | -1): void {
    const list = this.#get(address, field.longer);
    let at = 0;
    for (let known = this.#lists.at(list, 0); known > 0 && known < length; known = this.#lists.at(list, at)) {
      at += 2;
    }
    const isKnown = this.#lists.at(list, at) === length;
    const count = (isKnown ? this.#lists.at(list, at + 1) : 0) + more;
    if (isKnown && count > 0) {
      this.#lists.set(list, at + 1, count);
      return;
    }
    const pairs = this.#lists.all(list);
    pairs.splice(at, isKnown ? 2 : 0, ...(count > 0 ? [length, count] : []));
    this.#set(address, field.longer, this.#lists.replace(list, pairs));
  }

  #notes(address: number): number[] {
    const notes: number[] = [];
    for (let note = this.noteAt(address, 0); note !== 0; note = this.noteAt(address, notes.length)) {
      notes.push(note);
    }
    return notes;
  }

  #setNotes(address: number, notes: readonly number[]): void {
    for (let index = 0; index < inlineNotes; index += 1) {
      this.#set(address, field.firstNote + index, notes[index] ?? 0);
    }
    const more = this.#lists.replace(this.#get(address, field.moreNotes), notes.slice(inlineNotes));
    this.#set(address, field.moreNotes, more);
  }

  #dropUnused(address: number): void {
    if (this.#get(address, field.phraseUses) > 0 || this.noteAt(address, 0) !== 0) return;
    this.#remove(this.#get(address, field.hash), address);
    this.#arena.free(address, headerLength + ((this.#get(address, field.length) + 1) >>> 1));
  }

  #get(address: number, name: number): number {
    return this.#arena.chunkOf(address)[offsetOf(address) + name] ?? 0;
  }

  #set(address: number, name: number, value: number): void {
    this.#arena.chunkOf(address)[offsetOf(address) + name] = value;
  }

  #unitAt(address: number, at: number): number {
    return (this.#get(address, headerLength + (at >>> 1)) >>> ((at & 1) * 16)) & 0xffff;
  }

  #isAt(address: number, units: Uint16Array, from: number, to: number): boolean {
    const ints = this.#arena.chunkOf(address);
    const offset = offsetOf(address);
    if (ints[offset] !== to - from) return false;
    let word = offset + headerLength;
    let at = from;
    for (; at + 1 < to; at += 2) {
      if (ints[word] !== ((units[at] ?? 0) | ((units[at + 1] ?? 0) << 16))) return false;
      word += 1;
    }
    return at >= to || ints[word] === units[at];
  }

  #segmentAt(segment: number): Int32Array {
    const buckets = this.#segments[segment];
    if (buckets === undefined) throw new RangeError(`no segment ${segment}`);
    return buckets;
  }

  #insert(hash: number, address: number): void {
    const segment = mix(hash) >>> (32 - segmentBits);
    const size = (this.#sizes[segment] ?? 0) + 1;
    this.#sizes[segment] = size;
    // At most half full, so that most lookups end at the first bucket.
    if (size * 4 > this.#segmentAt(segment).length) this.#grow(segment);
    insertInto(this.#segmentAt(segment), hash, address + 1);
  }

  #grow(segment: number): void {
    const before = this.#segmentAt(segment);
    const buckets = new Int32Array(before.length * 2);
    for (let at = 0; at < before.length; at += 2) {
      if (before[at + 1] !== 0) insertInto(buckets, before[at] ?? 0, before[at + 1] ?? 0);
    }
    this.#segments[segment] = buckets;
  }

  /** Removes an address and moves later entries of the same cluster forward (Knuth, volume 3, 6.4, algorithm R). */
  #remove(hash: number, address: number): void {
    const segment = mix(hash) >>> (32 - segmentBits);
    const buckets = this.#segmentAt(segment);
    const mask = buckets.length - 1;
    let at = (mix(hash) << 1) & mask;
    while (buckets[at + 1] !== address + 1) at = (at + 2) & mask;
    this.#sizes[segment] = (this.#sizes[segment] ?? 1) - 1;
    for (let next = (at + 2) & mask; buckets[next + 1] !== 0; next = (next + 2) & mask) {
      const hashOfNext = buckets[next] ?? 0;
      const home = (mix(hashOfNext) << 1) & mask;
      // Before its home bucket, a lookup would not find the entry.
      if (((next - home) & mask) < ((next - at) & mask)) continue;
      buckets[at] = hashOfNext;
      buckets[at + 1] = buckets[next + 1] ?? 0;
      at = next;
    }
    buckets[at + 1] = 0;
  }
}

function insertInto(buckets: Int32Array, hash: number, value: number): void {
  const mask = buckets.length - 1;
  let at = (mix(hash) << 1) & mask;
  while (buckets[at + 1] !== 0) at = (at + 2) & mask;
  buckets[at] = hash;
  buckets[at + 1] = value;
}

/** Spreads a hash over all bits: the highest select a segment, the lowest a bucket. */
function mix(hash: number): number {
  return spread(hash) >>> 0;
}
