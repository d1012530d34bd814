import { Arena, placeOf } from "../storage/arena.ts";

/**
 * What the index keeps of each campaign that can serve, as numbers in large shared arrays. A record is found by its
 * address. It begins with these fields, in one cache line; then come, each only if there are any: the schedule's two times
 * as 64-bit floats; the terms of the three groups of which one each is required, of what blocks the campaign, and of the
 * affinities; the affinities' weights as 64-bit floats.
 */
export const field = {
  documentId: 0,
  /** The search that has looked at it last. */
  searchId: 1,
  bidCents: 2,
  /** No context gives it a higher rank. */
  bound: 3,
  /** See `bits`. */
  traits: 4,
  priority: 5,
  places: 6,
  categories: 7,
  tags: 8,
  /** Terms that block it: those of its blocklist and places, and those by which a placement may. */
  blocked: 9,
  blockable: 10,
  affinities: 11,
  /** Why it was refused lately (refusals.ts). */
  refusal: 12,
  /** The term of its advertiser. */
  advertiser: 13,
} as const;
const headerLength = 14;

/** Parts of `traits`. */
export const bits = {
  creativeTypes: 0b1111,
  scheduled: 0b1_0000,
  /** It has circles, which flags do not tell exactly. */
  circles: 0b10_0000,
  /** It has ended, and stands at no posting (ended.ts). */
  ended: 0b100_0000,
  keyShift: 7,
  /** Which group it is posted by: 0 none, else 1 for `field.places` to 3 for `field.tags`. */
  keyMask: 0b11,
} as const;

/** A record before it is written. */
export interface RecordParts {
  documentId: number;
  bidCents: number;
  bound: number;
  creativeTypes: number;
  priority: number;
  /** Null: it runs at any time. */
  schedule: { startsAtMs: number; endsBeforeMs: number } | null;
  circles: boolean;
  /** So many of the places are no cells of circles; those come first. */
  areas: number;
  advertiser: number;
  weights: readonly number[];
  affinities: readonly number[];
  places: readonly number[];
  categories: readonly number[];
  tags: readonly number[];
  blocked: readonly number[];
  blockable: readonly number[];
}

/** The memory of the records. */
export class Records extends Arena {
  /** The address of a new record. */
  add(parts: RecordParts): number {
    const { schedule } = parts;
    const address = this.take(lengthOf(parts));
    const ints = this.chunkOf(address);
    const floats = this.floatsOf(address);
    const at = placeOf(address);
    ints.set(headerOf(parts), at);
    if (schedule !== null) {
      floats[timesAt(at)] = schedule.startsAtMs;
      floats[timesAt(at) + 1] = schedule.endsBeforeMs;
    }
    let next = listsAt(ints, at);
    for (const list of [
      parts.places,
      parts.categories,
      parts.tags,
      parts.blocked,
      parts.blockable,
      parts.affinities,
    ]) {
      ints.set(list, next);
      next += list.length;
    }
    floats.set(parts.weights, weightsAt(next));
    return address;
  }

  remove(address: number): void {
    const end = listAt(this.chunkOf(address), placeOf(address), field.affinities + 1);
    const weights = this.get(address, field.affinities);
    this.give(address, (weightsAt(end) + weights) * 2 - placeOf(address));
  }

  get(address: number, name: number): number {
    return this.chunkOf(address)[placeOf(address) + name] ?? 0;
  }

  set(address: number, name: number, value: number): void {
    this.chunkOf(address)[placeOf(address) + name] = value;
  }

  /** The terms of one of the lists. */
  list(address: number, name: number): Int32Array {
    const ints = this.chunkOf(address);
    const from = listAt(ints, placeOf(address), name);
    return ints.subarray(from, from + this.get(address, name));
  }

  /** All of its terms, as often as they were acquired. */
  terms(address: number): Int32Array {
    const ints = this.chunkOf(address);
    const at = placeOf(address);
    return ints.subarray(listsAt(ints, at), listAt(ints, at, field.affinities + 1));
  }

  weights(address: number): Float64Array {
    const end = listAt(this.chunkOf(address), placeOf(address), field.affinities + 1);
    const from = weightsAt(end);
    return this.floatsOf(address).subarray(from, from + this.get(address, field.affinities));
  }
}

/** Where the lists begin in the chunk, given where the record does. */
export function listsAt(ints: Int32Array, at: number): number {
  return at + headerLength + (((ints[at + field.traits] ?? 0) & bits.scheduled) === 0 ? 0 : 4);
}

/** Where one of the lists begins. */
export function listAt(ints: Int32Array, at: number, name: number): number {
  let place = listsAt(ints, at);
  for (let list: number = field.places; list < name; list += 1) place += ints[at + list] ?? 0;
  return place;
}

/** Where the weights stand among the floats, given where the lists end: floats want even places. */
export function weightsAt(end: number): number {
  return (end + 1) >>> 1;
}

/** Where the schedule's times stand among the floats. */
export function timesAt(at: number): number {
  return (at + headerLength) / 2;
}

function headerOf(parts: RecordParts): number[] {
  const { documentId, bidCents, bound, creativeTypes, schedule, circles, priority } = parts;
  const traits = creativeTypes | (schedule === null ? 0 : bits.scheduled) | (circles ? bits.circles : 0);
  return [
    documentId,
    0,
    bidCents,
    bound,
    traits,
    priority,
    parts.places.length,
    parts.categories.length,
    parts.tags.length,
    parts.blocked.length,
    parts.blockable.length,
    parts.affinities.length,
    0,
    parts.advertiser,
  ];
}

function lengthOf(parts: RecordParts): number {
  const { schedule, weights, affinities, places, categories, tags, blocked, blockable } = parts;
  const required = places.length + categories.length + tags.length;
  const end =
    headerLength +
    (schedule === null ? 0 : 4) +
    required +
    blocked.length +
    blockable.length +
    affinities.length;
  return (weightsAt(end) + weights.length) * 2;
}
