import { rankOf } from "../../ranking/rank.ts";
import { rangeRules } from "../../rules/all-rules.ts";
import { pointOf } from "../../rules/great-circle.ts";
import { withoutRoundingError } from "../../scoring/affinity-score.ts";
import type { MatchScene } from "../../types/request.ts";
import { level } from "../dictionary/effects.ts";
import {
  placeSignatureOfRequest,
  type RequestSignature,
  signatureOfRequest,
} from "../dictionary/signature.ts";
import type { Terms } from "../dictionary/terms.ts";
import { isInCircles, type PreparedPoint, preparePoint } from "../documents/circles.ts";
import { typeSetOf } from "../documents/record-parts.ts";
import {
  bits,
  circlesAt,
  field,
  flightEndAt,
  listAt,
  listsAt,
  type Records,
  rangesAt,
  weightsAt,
} from "../documents/records.ts";
import { endedForMs } from "../suppression/ended.ts";
import type { Refusals } from "../suppression/refusals.ts";

/** Maximum ended records that one search reports. */
const MAX_ENDED = 8;
/** Maximum required terms that are all read. */
const MAX_TERMS_READ = 16;

/** Decides from the request's flags whether a record may serve, and at what rank. */
export class Scorer {
  /** Addresses of records that the search found to have ended. */
  readonly ended: number[] = [];
  readonly #terms: Terms;
  readonly #records: Records;
  readonly #refusals: Refusals;
  readonly requestSignature: RequestSignature = { signature: 0, places: 0 };
  #types = 0;
  /** By range rule: the number of the request. */
  readonly #numbers = new Float64Array(rangeRules.length);
  #nowMs = 0;
  #point: PreparedPoint | null = null;

  constructor(terms: Terms, records: Records, refusals: Refusals) {
    this.#refusals = refusals;
    this.#terms = terms;
    this.#records = records;
  }

  open(scene: MatchScene): void {
    const { placement, geo, nowMs } = scene;
    this.#types = typeSetOf(placement.placement_types);
    this.requestSignature.signature = signatureOfRequest(this.#types, this.#terms.categoryBits);
    this.requestSignature.places = placeSignatureOfRequest(this.#terms.placeBits);
    this.#nowMs = nowMs;
    for (let index = 0; index < rangeRules.length; index += 1) {
      this.#numbers[index] = rangeRules[index]?.numberOf(scene) ?? Number.NaN;
    }
    this.#point = preparePoint(pointOf(geo));
  }

  /** The affinity score; adds in the same order as `affinityScore`, so that both are equal to the last bit. */
  scoreOf(ints: Int32Array, floats: Float64Array, at: number): number {
    const count = ints[at + field.affinities] ?? 0;
    if (count === 0) return 0;
    const { flags } = this.#terms;
    const lists = listAt(ints, at, field.affinities);
    const weights = weightsAt(lists + count);
    let sum = 0;
    let any = 0;
    for (let index = 0; index < count; index += 1) {
      const flag = flags[ints[lists + index] ?? 0] ?? 0;
      if (flag === 0) continue;
      any |= flag;
      sum += (floats[weights + index] ?? 0) * (flag / level.full);
    }
    return any === 0 ? 0 : withoutRoundingError(sum);
  }

  rankOf(ints: Int32Array, floats: Float64Array, at: number): number {
    const bidCents = ints[at + field.bidCents] ?? 0;
    const score = this.scoreOf(ints, floats, at);
    return score === 0 ? bidCents : rankOf(bidCents, score);
  }

  /** Rules 1 to 7. */
  admits(ints: Int32Array, floats: Float64Array, at: number, address: number): boolean {
    const traits = ints[at + field.traits] ?? 0;
    if ((traits & this.#types) === 0) return false;
    const { flags } = this.#terms;
    let from = listsAt(ints, at);
    for (let group: number = field.places; group <= field.tags; group += 1) {
      const count = ints[at + group] ?? 0;
      if (count === 0) continue;
      if (!this.#hasActive(group, ints, from, count)) return false;
      from += count;
    }
    const blockable = from + (ints[at + field.blocked] ?? 0);
    for (let index = from; index < blockable; index += 1) {
      if (flags[ints[index] ?? 0] === 0) continue;
      if (index > from) moveForward(ints, from, index);
      return false;
    }
    const end = blockable + (ints[at + field.blockable] ?? 0);
    for (let index = blockable; index < end; index += 1) if (flags[ints[index] ?? 0] !== 0) return false;
    if ((traits & bits.ranges) !== 0 && !this.#isInRanges(floats, at, address)) return false;
    return ints[at + field.circles] === 0 || this.#isInPlace(ints, floats, at);
  }

  /** Whether the request has one of the terms of a group. Looks the request's terms up in long lists, to read less. */
  #hasActive(group: number, ints: Int32Array, from: number, count: number): boolean {
    const { flags, activePlaces, activeCategories } = this.#terms;
    if (count > MAX_TERMS_READ && group !== field.tags) {
      const active = group === field.places ? activePlaces : activeCategories;
      return active.some((term) => includesTerm(ints, from, count, term));
    }
    for (let index = from; index < from + count; index += 1) if (flags[ints[index] ?? 0] !== 0) return true;
    return false;
  }

  /** Why a record that may serve is skipped; a value of `refusal` (refusals.ts). */
  refusalOf(ints: Int32Array, at: number): number {
    return this.#refusals.of(ints, at);
  }

  #isInRanges(floats: Float64Array, at: number, address: number): boolean {
    const numbers = this.#numbers;
    const ranges = rangesAt(at);
    for (let index = 0; index < numbers.length; index += 1) {
      const number = numbers[index] ?? 0;
      const end = ranges + index * 2 + 1;
      const from = floats[end - 1] ?? 0;
      const before = floats[end] ?? 0;
      if (from <= number && number < before) continue;
      // The campaign has no range of this rule, so it also serves where the number is unknown.
      if (from === Number.NEGATIVE_INFINITY && before === Number.POSITIVE_INFINITY) continue;
      this.#reportIfEnded(floats, at, address);
      return false;
    }
    return true;
  }

  #reportIfEnded(floats: Float64Array, at: number, address: number): void {
    const hasEnded = (floats[flightEndAt(at)] ?? 0) + endedForMs <= this.#nowMs;
    if (hasEnded && this.ended.length < MAX_ENDED && !this.ended.includes(address)) this.ended.push(address);
  }

  /** Rule 4 for records with circles. `admits` has already checked the flags of all other places. */
  #isInPlace(ints: Int32Array, floats: Float64Array, at: number): boolean {
    const excluded = circlesAt(ints, at) + 1;
    const included = excluded + (floats[excluded - 1] ?? 0);
    if (isInCircles(floats, excluded, included, this.#point)) return false;
    const end = excluded - 1 + (ints[at + field.circles] ?? 0);
    if (ints[at + field.places] === 0 || isInCircles(floats, included, end, this.#point)) return true;
    const terms = this.#terms;
    const [from, count] = [listsAt(ints, at), ints[at + field.places] ?? 0];
    return terms.activePlaces.some((place) => !terms.isCell(place) && includesTerm(ints, from, count, place));
  }

  /** Number of terms in one of the record's lists that the request has. */
  countActive(address: number, list: number): number {
    const { flags } = this.#terms;
    let count = 0;
    for (const term of this.#records.list(address, list)) if (flags[term] !== 0) count += 1;
    return count;
  }
}

/** Whether a list in ascending order includes a term. */
function includesTerm(ints: Int32Array, from: number, count: number, term: number): boolean {
  let low = from;
  let high = from + count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ints[middle] ?? 0) < term) low = middle + 1;
    else high = middle;
  }
  return low < from + count && ints[low] === term;
}

/** Halves the way to a term that was found late in its list, so that frequent ones come early. */
function moveForward(ints: Int32Array, from: number, index: number): void {
  const earlier = from + ((index - from) >>> 1);
  const term = ints[index] ?? 0;
  ints[index] = ints[earlier] ?? 0;
  ints[earlier] = term;
}
