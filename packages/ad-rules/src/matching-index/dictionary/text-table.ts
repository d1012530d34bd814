import { Arena, placeOf } from "../storage/arena.ts";
import { NumberLists } from "../storage/number-lists.ts";

/** Fields of an entry; its UTF-16 units follow, two in a number. */
const field = {
  length: 0,
  hash: 1,
  /** How many phrases of campaigns it is, or is the first word of. */
  phraseUses: 2,
  /** Lists: its further notes; lengths of longer phrases, ascending, each with how many phrases have it. */
  moreNotes: 3,
  longer: 4,
  /** Its first notes; 0: none. */
  firstNote: 5,
} as const;
const notesInside = 3;
const headerLength = field.firstNote + notesInside;

const hashBase = 0x01000193;
/** So many that growing one of them takes no noticeable time. */
const segmentBits = 6;
const firstBuckets = 16;
/** No entry has this address. */
export const noEntry = -1;

/** The hash of a text that is one unit longer. */
export function hashWith(hash: number, unit: number): number {
  return (Math.imul(hash, hashBase) + unit) | 0;
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = hashWith(hash, text.charCodeAt(at));
  return hash;
}

/**
 * The texts that campaigns name, and for each the notes of what it does where a request has it (effects.ts). A text is
 * found by its units in a buffer, so that nobody has to make a string to look it up, and by as few looks into memory as
 * possible: a bucket has the hash beside the entry's address, and an entry's notes and units are one piece.
 */
export class TextTable {
  /** Pairs of a hash and one more than an address, 0 where there is none; each a power of two long. */
  readonly #segments: Int32Array[] = [];
  readonly #sizes: number[] = [];
  readonly #arena = new Arena();
  readonly #lists = new NumberLists(this.#arena);
  /** Of the text that is looked up. */
  #units = new Uint16Array(1_024);

  constructor() {
    for (let segment = 0; segment < 1 << segmentBits; segment += 1) {
      this.#segments.push(new Int32Array(firstBuckets * 2));
      this.#sizes.push(0);
    }
  }

  get(text: string): number {
    return this.#lookUp(text, hashOf(text));
  }

  #lookUp(text: string, hash: number): number {
    if (this.#units.length < text.length) this.#units = new Uint16Array(text.length * 2);
    for (let at = 0; at < text.length; at += 1) this.#units[at] = text.charCodeAt(at);
    return this.find(hash, this.#units, 0, text.length);
  }

  /** The entry of the units from `from` to `to`, whose hash must be given; `noEntry` when there is none. */
  find(hash: number, units: Uint16Array, from: number, to: number): number {
    const mixed = mix(hash);
    const buckets = this.#segmentAt(mixed >>> (32 - segmentBits));
    const mask = buckets.length - 1;
    for (let at = (mixed << 1) & mask; ; at = (at + 2) & mask) {
      const address = (buckets[at + 1] ?? 0) - 1;
      if (address === noEntry) return noEntry;
      if (buckets[at] === hash && this.#isAt(address, units, from, to)) return address;
    }
  }

  /** Whether there may be an entry with this hash. Looks of this kind do not wait for each other. */
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

  /** The entry of the text, a new one if there is none. */
  put(text: string): number {
    const hash = hashOf(text);
    const known = this.#lookUp(text, hash);
    if (known !== noEntry) return known;
    const address = this.#arena.take(headerLength + ((text.length + 1) >>> 1));
    const ints = this.#arena.chunkOf(address);
    const place = placeOf(address);
    ints.fill(0, place, place + headerLength + ((text.length + 1) >>> 1));
    ints[place + field.length] = text.length;
    ints[place + field.hash] = hash;
    for (let at = 0; at < text.length; at += 1) {
      const word = place + headerLength + (at >>> 1);
      ints[word] = (ints[word] ?? 0) | (text.charCodeAt(at) << ((at & 1) * 16));
    }
    this.#place(hash, address);
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

  /** The n-th length of longer phrases that begin with it, ascending; 0 past the last. */
  longerAt(address: number, number: number): number {
    return this.#lists.at(this.#get(address, field.longer), number * 2);
  }

  /** The n-th note; 0 past the last. */
  noteAt(address: number, number: number): number {
    if (number < notesInside) return this.#get(address, field.firstNote + number);
    return this.#lists.at(this.#get(address, field.moreNotes), number - notesInside);
  }

  /** Has every note of an entry taken; the same as `noteAt` one by one. */
  eachNote(address: number, take: { takeNote(note: number, roles: number): void }, roles: number): void {
    const ints = this.#arena.chunkOf(address);
    const from = placeOf(address) + field.firstNote;
    for (let at = from; at < from + notesInside; at += 1) {
      const note = ints[at] ?? 0;
      if (note === 0) return;
      take.takeNote(note, roles);
    }
    const more = ints[placeOf(address) + field.moreNotes] ?? 0;
    for (let place = 0; ; place += 1) {
      const note = this.#lists.at(more, place);
      if (note === 0) return;
      take.takeNote(note, roles);
    }
  }

  /** Notes are above 0. */
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

  /** Counts a phrase that it is, or begins. */
  usePhrase(address: number, uses: 1 | -1): void {
    this.#set(address, field.phraseUses, this.#get(address, field.phraseUses) + uses);
    this.#dropUnused(address);
  }

  /** Counts a longer phrase that it begins. */
  addLonger(address: number, length: number): void {
    this.#countLonger(address, length, 1);
  }

  removeLonger(address: number, length: number): void {
    this.#countLonger(address, length, -1);
  }

  #countLonger(address: number, length: number, more: number): void {
    const counts = new Map<number, number>();
    const list = this.#get(address, field.longer);
    for (let place = 0; this.#lists.at(list, place) > 0; place += 2) {
      counts.set(this.#lists.at(list, place), this.#lists.at(list, place + 1));
    }
    const count = (counts.get(length) ?? 0) + more;
    if (count > 0) counts.set(length, count);
    else counts.delete(length);
    const ascending = [...counts].sort(([left], [right]) => left - right);
    this.#set(address, field.longer, this.#lists.replace(list, ascending.flat()));
  }

  #notes(address: number): number[] {
    const notes: number[] = [];
    for (let note = this.noteAt(address, 0); note !== 0; note = this.noteAt(address, notes.length)) {
      notes.push(note);
    }
    return notes;
  }

  #setNotes(address: number, notes: readonly number[]): void {
    for (let place = 0; place < notesInside; place += 1) {
      this.#set(address, field.firstNote + place, notes[place] ?? 0);
    }
    const more = this.#lists.replace(this.#get(address, field.moreNotes), notes.slice(notesInside));
    this.#set(address, field.moreNotes, more);
  }

  #dropUnused(address: number): void {
    if (this.#get(address, field.phraseUses) > 0 || this.noteAt(address, 0) !== 0) return;
    this.#displace(this.#get(address, field.hash), address);
    this.#arena.give(address, headerLength + ((this.#get(address, field.length) + 1) >>> 1));
  }

  #get(address: number, name: number): number {
    return this.#arena.chunkOf(address)[placeOf(address) + name] ?? 0;
  }

  #set(address: number, name: number, value: number): void {
    this.#arena.chunkOf(address)[placeOf(address) + name] = value;
  }

  #unitAt(address: number, at: number): number {
    return (this.#get(address, headerLength + (at >>> 1)) >>> ((at & 1) * 16)) & 0xffff;
  }

  #isAt(address: number, units: Uint16Array, from: number, to: number): boolean {
    const ints = this.#arena.chunkOf(address);
    const place = placeOf(address);
    if (ints[place] !== to - from) return false;
    let word = place + headerLength;
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

  #place(hash: number, address: number): void {
    const segment = mix(hash) >>> (32 - segmentBits);
    const size = (this.#sizes[segment] ?? 0) + 1;
    this.#sizes[segment] = size;
    // At most half full, so that most looks end at the first bucket.
    if (size * 4 > this.#segmentAt(segment).length) this.#grow(segment);
    putInto(this.#segmentAt(segment), hash, address + 1);
  }

  #grow(segment: number): void {
    const before = this.#segmentAt(segment);
    const buckets = new Int32Array(before.length * 2);
    for (let at = 0; at < before.length; at += 2) {
      if (before[at + 1] !== 0) putInto(buckets, before[at] ?? 0, before[at + 1] ?? 0);
    }
    this.#segments[segment] = buckets;
  }

  /** Takes an address out, and closes the gap. */
  #displace(hash: number, address: number): void {
    const segment = mix(hash) >>> (32 - segmentBits);
    const buckets = this.#segmentAt(segment);
    const mask = buckets.length - 1;
    let at = (mix(hash) << 1) & mask;
    while (buckets[at + 1] !== address + 1) at = (at + 2) & mask;
    this.#sizes[segment] = (this.#sizes[segment] ?? 1) - 1;
    buckets[at + 1] = 0;
    for (let next = (at + 2) & mask; buckets[next + 1] !== 0; next = (next + 2) & mask) {
      const moved = buckets[next] ?? 0;
      const value = buckets[next + 1] ?? 0;
      buckets[next + 1] = 0;
      putInto(buckets, moved, value);
    }
  }
}

function putInto(buckets: Int32Array, hash: number, value: number): void {
  const mask = buckets.length - 1;
  let at = (mix(hash) << 1) & mask;
  while (buckets[at + 1] !== 0) at = (at + 2) & mask;
  buckets[at] = hash;
  buckets[at + 1] = value;
}

/** Spreads a hash over all bits: the highest choose a segment, the lowest a bucket. */
function mix(hash: number): number {
  const spread = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (spread ^ (spread >>> 13)) >>> 0;
}
