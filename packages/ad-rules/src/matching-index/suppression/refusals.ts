import { field, type Records } from "../documents/records.ts";

/** Values of `field.refusal`. */
export const refusal = { none: 0, lacksMoney: 1, other: 2, lacksMoneyForLong: 3 } as const;

/** Maximum short refusals; a new one evicts the oldest. */
const maxShort = 10_000;
/** Maximum long refusals in each of the two queues; a new one evicts the oldest. */
const maxLong = 200_000;
/** Longer refusals are worth removing the record from the posting lists. */
const shortMs = 1_000;
/** Maximum long refusals that end before one search, and maximum records that one search reports. */
const maxPerSearch = 64;
const deniesNothing = 0x7fff_ffff;

/** A refusal applies in [`sinceMs`, `untilMs`), in Unix milliseconds. */
export interface Span {
  sinceMs: number;
  untilMs: number;
}

/** A refused record (`advertiser` is −1), or the refused bids of an advertiser (`documentId` is −1). */
interface Refused extends Span {
  readonly documentId: number;
  readonly advertiser: number;
  readonly queue: Set<Refused>;
}

/** By the advertiser's term: the lowest bid in cents that lacks money. */
class DeniedBids {
  readonly refused = new Map<number, Refused>();
  from = new Int32Array(1_024).fill(deniesNothing);

  set(advertiser: number, bidCents: number): void {
    if (advertiser >= this.from.length) {
      const longer = new Int32Array(advertiser * 2).fill(deniesNothing);
      longer.set(this.from);
      this.from = longer;
    }
    this.from[advertiser] = bidCents;
  }

  at(advertiser: number): number {
    return this.from[advertiser] ?? deniesNothing;
  }
}

/**
 * Recent refusals, which searches skip. A check reads one field of the record and two numbers of its advertiser. Each
 * refusal expires. Forgetting one costs an extra reservation, never money.
 */
export class Refusals {
  /** Documents with long refusals that the search visited; they are to be parked. */
  readonly visited: number[] = [];
  readonly #records: Records;
  readonly #addressOf: (documentId: number) => number;
  /** Called when a long refusal ends, with a document id and −1, or with −1 and the term of an advertiser. */
  readonly #onEnd: (documentId: number, advertiser: number) => void;
  readonly #shortly = new DeniedBids();
  readonly #forLong = new DeniedBids();
  readonly #byDocument = new Map<number, Refused>();
  /** In the order in which they end, as long as the clock is not set back. */
  readonly #short = new Set<Refused>();
  readonly #long = [new Set<Refused>(), new Set<Refused>()] as const;
  readonly #lastUntilMs = [0, 0];
  /** The time of the last search. */
  #latestMs = Number.NEGATIVE_INFINITY;
  /** Number of long refusals that were added before the clock was set back. */
  #outdated = 0;

  constructor(
    records: Records,
    addressOf: (documentId: number) => number,
    onEnd: (documentId: number, advertiser: number) => void,
  ) {
    this.#records = records;
    this.#addressOf = addressOf;
    this.#onEnd = onEnd;
  }

  /** Returns `none`, `lacksMoney` or `other`. */
  of(ints: Int32Array, at: number): number {
    const own = ints[at + field.refusal] ?? 0;
    if (own !== refusal.none && own !== refusal.lacksMoneyForLong) return own;
    const advertiser = ints[at + field.advertiser] ?? 0;
    const bidCents = ints[at + field.bidCents] ?? 0;
    if (own === refusal.lacksMoneyForLong || bidCents >= this.#forLong.at(advertiser)) {
      if (this.visited.length < maxPerSearch) this.visited.push(ints[at + field.documentId] ?? 0);
      return refusal.lacksMoney;
    }
    return bidCents >= this.#shortly.at(advertiser) ? refusal.lacksMoney : refusal.none;
  }

  refuseDocument(documentId: number, lacksMoney: boolean, span: Span): void {
    const known = this.#byDocument.get(documentId);
    if (known !== undefined) this.#drop(known);
    const queue = this.#queueFor(span);
    const refused = { ...span, documentId, advertiser: -1, queue };
    this.#byDocument.set(documentId, refused);
    this.#enqueue(refused);
    const forLong = queue === this.#short ? refusal.lacksMoney : refusal.lacksMoneyForLong;
    this.#records.set(this.#addressOf(documentId), field.refusal, lacksMoney ? forLong : refusal.other);
  }

  /** Keeps the lowest refused bid. */
  refuseAdvertiser(advertiser: number, bidCents: number, span: Span): void {
    const queue = this.#queueFor(span);
    const denied = queue === this.#short ? this.#shortly : this.#forLong;
    const fromCents = Math.min(bidCents, denied.at(advertiser));
    const known = denied.refused.get(advertiser);
    if (known !== undefined) this.#drop(known);
    const refused = { ...span, documentId: -1, advertiser, queue };
    denied.refused.set(advertiser, refused);
    this.#enqueue(refused);
    denied.set(advertiser, fromCents);
  }

  forgetDocument(documentId: number): void {
    const known = this.#byDocument.get(documentId);
    if (known !== undefined) this.#end(known);
  }

  forgetAdvertiser(advertiser: number): void {
    for (const denied of [this.#shortly, this.#forLong]) {
      const known = denied.refused.get(advertiser);
      if (known !== undefined) this.#end(known);
    }
  }

  /**
   * Ends refusals whose time is over and, when the clock was set back, those that were added later. Ends a limited number of
   * long ones per call.
   */
  expire(nowMs: number): void {
    const wentBackMs = this.#latestMs - nowMs;
    this.#latestMs = nowMs;
    for (const refused of this.#short) {
      if (refused.untilMs <= nowMs || refused.sinceMs > nowMs) this.#end(refused);
      else if (!(wentBackMs > 0)) break;
    }
    if (wentBackMs > shortMs) this.#outdated = this.#long[0].size + this.#long[1].size;
    let remaining = maxPerSearch;
    for (const queue of this.#long) {
      for (const refused of queue) {
        if (remaining === 0 || (refused.untilMs > nowMs && this.#outdated === 0)) break;
        if (this.#outdated > 0) this.#outdated -= 1;
        remaining -= 1;
        this.#end(refused);
      }
    }
  }

  #queueFor({ sinceMs, untilMs }: Span): Set<Refused> {
    if (untilMs - sinceMs <= shortMs) return this.#short;
    const index = untilMs >= (this.#lastUntilMs[0] ?? 0) ? 0 : 1;
    this.#lastUntilMs[index] = untilMs;
    return this.#long[index];
  }

  #enqueue(refused: Refused): void {
    const { queue } = refused;
    if (queue.size >= (queue === this.#short ? maxShort : maxLong)) {
      const oldest = queue.values().next();
      if (!oldest.done) this.#end(oldest.value);
    }
    queue.add(refused);
  }

  #end(refused: Refused): void {
    this.#drop(refused);
    if (refused.queue !== this.#short) this.#onEnd(refused.documentId, refused.advertiser);
  }

  #drop(refused: Refused): void {
    refused.queue.delete(refused);
    if (refused.advertiser >= 0) {
      const denied = refused.queue === this.#short ? this.#shortly : this.#forLong;
      denied.refused.delete(refused.advertiser);
      denied.set(refused.advertiser, deniesNothing);
    } else {
      this.#byDocument.delete(refused.documentId);
      this.#records.set(this.#addressOf(refused.documentId), field.refusal, refusal.none);
    }
  }
}
