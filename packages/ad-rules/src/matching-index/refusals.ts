import { field, type Records } from "./records.ts";

/** Values of `field.refusal`. */
export const refusal = { none: 0, lacksMoney: 1, other: 2 } as const;

/** So many are remembered; the oldest makes room. */
const mostRefusals = 10_000;
const deniesNothing = 0x7fff_ffff;

/** When a refusal stands, in Unix milliseconds: from `sinceMs` on, before `untilMs`. */
export interface Span {
  sinceMs: number;
  untilMs: number;
}

/** What was refused: a record, or an advertiser's bids from some height on. */
interface Refused {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly slot: number;
  readonly advertiser: number;
}

/**
 * What was refused a moment ago, so that it is passed over. To see whether a record was costs reading one of its fields and
 * one number of its advertiser. Each refusal ends by itself; forgetting one costs a reservation, never money.
 */
export class Refusals {
  readonly #records: Records;
  readonly #addressOf: (slot: number) => number;
  /** By term of an advertiser: bids from here on lack money. */
  #deniedFrom = new Int32Array(1_024).fill(deniesNothing);
  /** By slot and by advertiser's term: the refusal that holds. */
  readonly #bySlot = new Map<number, Refused>();
  readonly #byAdvertiser = new Map<number, Refused>();
  /** In the order in which they end. */
  readonly #queue = new Set<Refused>();
  /** The time of the last search. */
  #latestMs = Number.NEGATIVE_INFINITY;

  constructor(records: Records, addressOf: (slot: number) => number) {
    this.#records = records;
    this.#addressOf = addressOf;
  }

  /** Whether the record is passed over: one of `refusal`. */
  of(ints: Int32Array, at: number): number {
    const own = ints[at + field.refusal] ?? 0;
    if (own !== refusal.none) return own;
    const denied = this.#deniedFrom[ints[at + field.advertiser] ?? 0] ?? deniesNothing;
    return (ints[at + field.bidCents] ?? 0) >= denied ? refusal.lacksMoney : refusal.none;
  }

  refuseSlot(slot: number, lacksMoney: boolean, { sinceMs, untilMs }: Span): void {
    this.forgetSlot(slot);
    const refused = { sinceMs, untilMs, slot, advertiser: -1 };
    this.#bySlot.set(slot, refused);
    this.#remember(refused);
    this.#records.set(this.#addressOf(slot), field.refusal, lacksMoney ? refusal.lacksMoney : refusal.other);
  }

  /** The lowest bid that was refused counts. */
  refuseAdvertiser(advertiser: number, bidCents: number, { sinceMs, untilMs }: Span): void {
    const fromCents = Math.min(bidCents, this.#deniedFrom[advertiser] ?? deniesNothing);
    this.forgetAdvertiser(advertiser);
    const refused = { sinceMs, untilMs, slot: -1, advertiser };
    this.#byAdvertiser.set(advertiser, refused);
    this.#remember(refused);
    if (advertiser >= this.#deniedFrom.length) {
      const longer = new Int32Array(advertiser * 2).fill(deniesNothing);
      longer.set(this.#deniedFrom);
      this.#deniedFrom = longer;
    }
    this.#deniedFrom[advertiser] = fromCents;
  }

  forgetSlot(slot: number): void {
    const known = this.#bySlot.get(slot);
    if (known !== undefined) this.#forget(known);
  }

  forgetAdvertiser(advertiser: number): void {
    const known = this.#byAdvertiser.get(advertiser);
    if (known !== undefined) this.#forget(known);
  }

  /** Ends those whose time is over; should the clock have gone back, those too that were made later. */
  expire(nowMs: number): void {
    const wentBack = nowMs < this.#latestMs;
    this.#latestMs = nowMs;
    for (const refused of this.#queue) {
      if (refused.untilMs <= nowMs || refused.sinceMs > nowMs) this.#forget(refused);
      else if (!wentBack) return;
    }
  }

  #remember(refused: Refused): void {
    if (this.#queue.size >= mostRefusals) {
      const oldest = this.#queue.values().next();
      if (!oldest.done) this.#forget(oldest.value);
    }
    this.#queue.add(refused);
  }

  #forget(refused: Refused): void {
    this.#queue.delete(refused);
    if (refused.advertiser >= 0) {
      this.#byAdvertiser.delete(refused.advertiser);
      this.#deniedFrom[refused.advertiser] = deniesNothing;
    } else {
      this.#bySlot.delete(refused.slot);
      this.#records.set(this.#addressOf(refused.slot), field.refusal, refusal.none);
    }
  }
}
