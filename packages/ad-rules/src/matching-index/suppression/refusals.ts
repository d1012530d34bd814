import { field } from "../documents/records.ts";

/** Why a search skips a record. */
export const refusal = { none: 0, lacksMoney: 1, other: 2 } as const;

/** Maximum short refusals, and maximum long ones; a new one evicts the oldest. */
const MAX_SHORT = 10_000;
const MAX_LONG = 200_000;
/** Longer refusals are worth removing the record from the posting lists. */
const shortMs = 1_000;
/** Long refusals tolerate that the clock is set back by this time. */
const toleranceMs = 1_000;
/** Maximum long refusals that are checked before one search, and maximum records that one search reports. */
const MAX_PER_SEARCH = 64;

/** A refusal applies in [`sinceMs`, `untilMs`), in Unix milliseconds. */
export interface Span {
  sinceMs: number;
  untilMs: number;
}

interface Refused extends Span {
  /** The lowest refused bid of an advertiser; 0 for a document. */
  bidCents: number;
  reason: number;
}

/** The key of an advertiser's refusal, and the term of such a key. The key of a document's refusal is the document id. */
export function advertiserKey(termOrKey: number): number {
  return -1 - termOrKey;
}

/**
 * Recent refusals, which searches skip. Each expires. Forgetting one costs an extra reservation, never money.
 */
export class Refusals {
  /** Documents with long refusals that the search visited; they are to be parked. */
  readonly visited: number[] = [];
  /** By key, the oldest first. */
  readonly #short = new Map<number, Refused>();
  readonly #long = new Map<number, Refused>();
  readonly #onEnd: (key: number) => void;
  /** The time of the last search. */
  #nowMs = Number.NEGATIVE_INFINITY;
  /** Lower bound of the ends of the long refusals, except for those that `#unchecked` still has. */
  #nextEndMs = Number.POSITIVE_INFINITY;
  #unchecked: Iterator<[number, Refused]> | null = null;

  /** @param onEnd called with the key of a long refusal that ends */
  constructor(onEnd: (key: number) => void) {
    this.#onEnd = onEnd;
  }

  /** Some long refusals may have ended without a call of `onEnd` yet. */
  get isChecking(): boolean {
    return this.#unchecked !== null || this.#nextEndMs <= this.#nowMs;
  }

  /** A value of `refusal`. */
  of(ints: Int32Array, at: number): number {
    if (this.#short.size === 0 && this.#long.size === 0) return refusal.none;
    const documentId = ints[at + field.documentId] ?? 0;
    const advertiser = advertiserKey(ints[at + field.advertiser] ?? 0);
    const bidCents = ints[at + field.bidCents] ?? 0;
    const long = this.#reasonIn(this.#long, documentId, 0);
    const own = this.#reasonIn(this.#short, documentId, 0) || long;
    if (own === refusal.other) return own;
    if ((long || this.#reasonIn(this.#long, advertiser, bidCents)) !== refusal.none) {
      if (this.visited.length < MAX_PER_SEARCH) this.visited.push(documentId);
      return refusal.lacksMoney;
    }
    return own || this.#reasonIn(this.#short, advertiser, bidCents);
  }

  #reasonIn(refusals: Map<number, Refused>, key: number, bidCents: number): number {
    const refused = refusals.get(key);
    if (refused === undefined || bidCents < refused.bidCents || refused.untilMs <= this.#nowMs) {
      return refusal.none;
    }
    return refused.reason;
  }

  refuseDocument(documentId: number, lacksMoney: boolean, span: Span): void {
    // A long refusal that replaces another leaves the record parked.
    if (this.#mapFor(span) === this.#long) this.#short.delete(documentId);
    else this.forget(documentId);
    const reason = lacksMoney ? refusal.lacksMoney : refusal.other;
    this.#add(documentId, { ...span, bidCents: 0, reason });
  }

  /** Keeps the lowest refused bid while its refusal lasts. */
  refuseAdvertiser(term: number, bidCents: number, span: Span): void {
    const key = advertiserKey(term);
    const refusals = this.#mapFor(span);
    if ((refusals.get(key)?.untilMs ?? 0) <= span.sinceMs) this.#end(refusals, key);
    const known = refusals.get(key);
    const lowest = Math.min(bidCents, known?.bidCents ?? bidCents);
    this.#add(key, { ...span, bidCents: lowest, reason: refusal.lacksMoney });
  }

  #mapFor({ sinceMs, untilMs }: Span): Map<number, Refused> {
    return untilMs - sinceMs <= shortMs ? this.#short : this.#long;
  }

  #add(key: number, refused: Refused): void {
    const refusals = this.#mapFor(refused);
    refusals.delete(key);
    refusals.set(key, refused);
    if (refusals === this.#long) this.#nextEndMs = Math.min(this.#nextEndMs, refused.untilMs);
    if (refusals.size <= (refusals === this.#short ? MAX_SHORT : MAX_LONG)) return;
    const oldest = refusals.keys().next();
    if (!oldest.done) this.forget(oldest.value);
  }

  forget(key: number): void {
    this.#end(this.#short, key);
    this.#end(this.#long, key);
  }

  #end(refusals: Map<number, Refused>, key: number): void {
    if (refusals.delete(key) && refusals === this.#long) this.#onEnd(key);
  }

  /**
   * Ends refusals whose time is over and, when the clock was set back, those that were added later. Checks a limited number
   * of long ones per call.
   */
  expire(nowMs: number): void {
    const wasSetBack = nowMs < this.#nowMs;
    this.#nowMs = nowMs;
    for (const [key, refused] of this.#short) {
      if (refused.untilMs <= nowMs || refused.sinceMs > nowMs) this.#short.delete(key);
      else if (!wasSetBack) break;
    }
    if (wasSetBack || (this.#unchecked === null && nowMs >= this.#nextEndMs)) {
      this.#unchecked = this.#long.entries();
      this.#nextEndMs = Number.POSITIVE_INFINITY;
    }
    if (this.#unchecked !== null) this.#checkSome(this.#unchecked, nowMs);
  }

  #checkSome(unchecked: Iterator<[number, Refused]>, nowMs: number): void {
    for (let left = MAX_PER_SEARCH; left > 0; left -= 1) {
      const next = unchecked.next();
      if (next.done) {
        this.#unchecked = null;
        return;
      }
      const [key, { sinceMs, untilMs }] = next.value;
      if (untilMs <= nowMs || sinceMs - toleranceMs > nowMs) this.forget(key);
      else this.#nextEndMs = Math.min(this.#nextEndMs, untilMs);
    }
  }
}
