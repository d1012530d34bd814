import { rangeRules } from "../../rules/all-rules.ts";
import type { NumberRange } from "../../rules/rule.ts";
import { flightRange } from "../../rules/schedule.ts";
import { Arena, offsetOf, roundUpToEven } from "../storage/arena.ts";

/**
 * The layout of a record: a campaign that can serve, as numbers in an arena, identified by its address.
 *
 * 1. These header fields, in one cache line.
 * 2. When it has any range (rules/all-rules.ts): both ends of all ranges as 64-bit floats.
 * 3. When it has circles (circles.ts): the length of the excluded ones, these and the included ones as 64-bit floats.
 * 4. The term lists: the three groups of which the request needs one term each; what blocks the campaign; affinities.
 * 5. The affinities' weights as 64-bit floats.
 */
export const field = {
  documentId: 0,
  /** The last search that visited the record. */
  searchId: 1,
  bidCents: 2,
  /** Upper bound of the rank in any context. */
  bound: 3,
  /** Packed as in `bits`. */
  traits: 4,
  priority: 5,
  places: 6,
  categories: 7,
  tags: 8,
  /** Lengths of the lists of terms that block it: from its blocklist and excluded places, and by a placement. */
  blocked: 9,
  blockable: 10,
  affinities: 11,
  /** The term of the advertiser. */
  advertiser: 12,
  /** The number of floats of its circles, which cells represent only approximately. */
  circles: 13,
  /** The list whose terms' posting lists contain the record: `places`, `categories` or `tags`; 0: none. */
  key: 14,
} as const;
const fieldNames = Object.keys(field) as (keyof typeof field)[];
/** The term lists, in the order of their fields and of the layout. */
const listNames = ["places", "categories", "tags", "blocked", "blockable", "affinities"] as const;
const headerLength = roundUpToEven(fieldNames.length);
/** In floats, of a record that has any range. */
const rangesLength = rangeRules.length * 2;
const flight = rangeRules.indexOf(flightRange);

/** Bits of `traits`. */
export const bits = {
  creativeTypes: 0b1111,
  ranges: 0b1_0000,
} as const;

export interface RecordParts {
  documentId: number;
  bidCents: number;
  bound: number;
  creativeTypes: number;
  priority: number;
  /** One per range rule, in their order; null: none. */
  ranges: readonly (NumberRange | null)[];
  /** As in circles.ts. */
  circles: readonly number[];
  advertiser: number;
  weights: readonly number[];
  affinities: readonly number[];
  /** Without duplicates, in ascending order, as are `categories`. */
  places: readonly number[];
  categories: readonly number[];
  tags: readonly number[];
  blocked: readonly number[];
  blockable: readonly number[];
}

export class Records extends Arena {
  /** Writes a new record and returns its address. */
  add(parts: RecordParts): number {
    const address = this.allocate(lengthOf(parts));
    const ints = this.chunkOf(address);
    const floats = this.floatsOf(address);
    const at = offsetOf(address);
    const header = headerOf(parts);
    for (const name of fieldNames) ints[at + field[name]] = header[name];
    if (hasRanges(parts)) {
      const ends = parts.ranges.flatMap((range) => [range?.from ?? -Infinity, range?.before ?? Infinity]);
      floats.set(ends, rangesAt(at));
    }
    floats.set(parts.circles, circlesAt(ints, at));
    let next = listsAt(ints, at);
    for (const name of listNames) {
      ints.set(parts[name], next);
      next += parts[name].length;
    }
    floats.set(parts.weights, weightsAt(next));
    return address;
  }

  remove(address: number): void {
    const end = listAt(this.chunkOf(address), offsetOf(address), field.affinities + 1);
    const weights = this.get(address, field.affinities);
    this.free(address, (weightsAt(end) + weights) * 2 - offsetOf(address));
  }

  get(address: number, name: number): number {
    return this.chunkOf(address)[offsetOf(address) + name] ?? 0;
  }

  set(address: number, name: number, value: number): void {
    this.chunkOf(address)[offsetOf(address) + name] = value;
  }

  /** The terms of one list. */
  list(address: number, name: number): Int32Array {
    const ints = this.chunkOf(address);
    const from = listAt(ints, offsetOf(address), name);
    return ints.subarray(from, from + this.get(address, name));
  }

  /** All terms of the record, with duplicates: each as often as it was acquired. */
  terms(address: number): Int32Array {
    const ints = this.chunkOf(address);
    const at = offsetOf(address);
    return ints.subarray(listsAt(ints, at), listAt(ints, at, field.affinities + 1));
  }

  weights(address: number): Float64Array {
    const end = listAt(this.chunkOf(address), offsetOf(address), field.affinities + 1);
    const from = weightsAt(end);
    return this.floatsOf(address).subarray(from, from + this.get(address, field.affinities));
  }
}

/** The offset of the lists in the chunk. @param at offset of the record */
export function listsAt(ints: Int32Array, at: number): number {
  return (circlesAt(ints, at) + (ints[at + field.circles] ?? 0)) * 2;
}

/** The offset of one list. @param at offset of the record */
export function listAt(ints: Int32Array, at: number, name: number): number {
  let offset = listsAt(ints, at);
  for (let list: number = field.places; list < name; list += 1) offset += ints[at + list] ?? 0;
  return offset;
}

/** The index of the weights in the float view, which needs an even offset. @param end offset of the end of the lists */
export function weightsAt(end: number): number {
  return (end + 1) >>> 1;
}

/** The index of the ranges in the float view. @param at offset of the record */
export function rangesAt(at: number): number {
  return (at + headerLength) / 2;
}

/** The index of the circles in the float view. @param at offset of the record */
export function circlesAt(ints: Int32Array, at: number): number {
  return rangesAt(at) + (((ints[at + field.traits] ?? 0) & bits.ranges) === 0 ? 0 : rangesLength);
}

/** The index in the float view of the end of the flight, in Unix milliseconds. @param at offset of the record */
export function flightEndAt(at: number): number {
  return rangesAt(at) + flight * 2 + 1;
}

function hasRanges({ ranges }: RecordParts): boolean {
  return ranges.some((range) => range !== null);
}

function headerOf(parts: RecordParts): Record<keyof typeof field, number> {
  const { documentId, bidCents, bound, creativeTypes, priority, advertiser } = parts;
  return {
    documentId,
    searchId: 0,
    bidCents,
    bound,
    traits: creativeTypes | (hasRanges(parts) ? bits.ranges : 0),
    priority,
    places: parts.places.length,
    categories: parts.categories.length,
    tags: parts.tags.length,
    blocked: parts.blocked.length,
    blockable: parts.blockable.length,
    affinities: parts.affinities.length,
    advertiser,
    circles: parts.circles.length,
    key: 0,
  };
}

function lengthOf(parts: RecordParts): number {
  const floats = (hasRanges(parts) ? rangesLength : 0) + parts.circles.length;
  const terms = listNames.reduce((sum, name) => sum + parts[name].length, 0);
  return (weightsAt(headerLength + floats * 2 + terms) + parts.weights.length) * 2;
}
