import { field, type Records } from "../documents/records.ts";

/** Values of `field.refusal`. */
export const refusal = { none: 0, lacksMoney: 1, other: 2, lacksMoneyForLong: 3 } as const;

/** So many of those that end soon are remembered; the oldest makes room. */
const maxShort = 10_000;
/** And so many of the others, in each of their two queues. */
const maxLong = 200_000;
/** What stands longer than this is worth taking out of the postings. */
const shortMs = 1_000;
/** As many of the long ones end in one search, and as many that it meets are noted. */
const maxPerSearch = 64;
const deniesNothing = 0x7fff_ffff;

/** When a refusal stands, in Unix milliseconds: from `sinceMs` on, before `untilMs`. */
export interface Span {
  sinceMs: number;
  untilMs: number;
}

/** What was refused: a record, or an advertiser's bids from some height on. */
interface Refused extends Span {
  readonly documentId: number;
  readonly advertiser: number;
  readonly queue: Set<Refused>;
}

/** By advertiser's term: bids from here on lack money. */
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
 * What was refused, so that it is passed over. To see whether a record was costs reading one of its fields and two numbers
 * of its advertiser. Each refusal ends by itself; forgetting one costs a reservation, never money.
 */
export class Refusals {
  /** Documents that a search has met although they are refused for long. */
  readonly met: number[] = [];
  readonly #records: Records;
  readonly #addressOf: (documentId: number) => number;
  /** Told of a record (its document id) or an advertiser (else −1) whose long refusal has ended. */
  readonly #onEnd: (documentId: number, advertiser: number) => void;
  readonly #shortly = new DeniedBids();
  readonly #forLong = new DeniedBids();
  readonly #byDocument = new Map<number, Refused>();
  /** Each in the order in which they end, as long as the clock does not go back. */
  readonly #short = new Set<Refused>();
  readonly #long = [new Set<Refused>(), new Set<Refused>()] as const;
  readonly #lastUntilMs = [0, 0];
  /** The time of the last search. */
  #latestMs = Number.NEGATIVE_INFINITY;
  /** So many long ones were made by a clock that has gone back since. */
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

  /** Whether the record is passed over: `none`, `lacksMoney` or `other`. */
  of(ints: Int32Array, at: number): number {
    const own = ints[at + field.refusal] ?? 0;
    if (own !== refusal.none && own !== refusal.lacksMoneyForLong) return own;
    const advertiser = ints[at + field.advertiser] ?? 0;
    const bidCents = ints[at + field.bidCents] ?? 0;
    if (own === refusal.lacksMoneyForLong || bidCents >= this.#forLong.at(advertiser)) {
      if (this.met.length < maxPerSearch) this.met.push(ints[at + field.documentId] ?? 0);
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
    this.#remember(refused);
    const forLong = queue === this.#short ? refusal.lacksMoney : refusal.lacksMoneyForLong;
    this.#records.set(this.#addressOf(documentId), field.refusal, lacksMoney ? forLong : refusal.other);
  }

  /** The lowest bid that was refused counts. */
  refuseAdvertiser(advertiser: number, bidCents: number, span: Span): void {
    const queue = this.#queueFor(span);
    const denied = queue === this.#short ? this.#shortly : this.#forLong;
    const fromCents = Math.min(bidCents, denied.at(advertiser));
    const known = denied.refused.get(advertiser);
    if (known !== undefined) this.#drop(known);
    const refused = { ...span, documentId: -1, advertiser, queue };
    denied.refused.set(advertiser, refused);
    this.#remember(refused);
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
   * Ends those whose time is over; should the clock have gone back, those too that were made later. Of the long ones a
   * limited number ends at once.
   */
  expire(nowMs: number): void {
    const wentBackMs = this.#latestMs - nowMs;
    this.#latestMs = nowMs;
    for (const refused of this.#short) {
      if (refused.untilMs <= nowMs || refused.sinceMs > nowMs) this.#end(refused);
      else if (!(wentBackMs > 0)) break;
    }
    if (wentBackMs > shortMs) this.#outdated = this.#long[0].size + this.#long[1].size;
    let left = maxPerSearch;
    for (const queue of this.#long) {
      for (const refused of queue) {
        if (left === 0 || (refused.untilMs > nowMs && this.#outdated === 0)) break;
        if (this.#outdated > 0) this.#outdated -= 1;
        left -= 1;
        this.#end(refused);
      }
    }
  }

  #queueFor({ sinceMs, untilMs }: Span): Set<Refused> {
    if (untilMs - sinceMs <= shortMs) return this.#short;
    const place = untilMs >= (this.#lastUntilMs[0] ?? 0) ? 0 : 1;
    this.#lastUntilMs[place] = untilMs;
    return this.#long[place];
  }

  #remember(refused: Refused): void {
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
