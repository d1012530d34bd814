/** See docs/behaviour.md#attempts. */
export const MAX_RESERVATIONS = 8;
/** Maximum further reservations, of campaigns whose creatives the player session has used up. */
export const MAX_REFUNDS = 24;
/** Maximum restarts of a decision because of one advertiser's changes. */
const MAX_FRESH_STARTS = 2;

/**
 * The reservations of one match request, shared among advertisers. An advertiser that has used as many as are left is
 * deferred: its other campaigns are tried only when no other advertiser has a candidate. So one advertiser uses at most
 * half of them while others wait, repeated ones included, and only four such advertisers can exhaust a request.
 */
export class Attempts {
  /** The advertiser of each reservation so far. */
  readonly #used: string[] = [];
  /** The advertiser of each fresh start so far. */
  readonly #freshStarts: string[] = [];
  #hasReserved = false;
  #refunds = 0;

  get left(): number {
    return MAX_RESERVATIONS - this.#used.length;
  }

  get isUnused(): boolean {
    return !this.#hasReserved;
  }

  use(advertiserId: string): void {
    this.#hasReserved = true;
    this.#used.push(advertiserId);
  }

  /** After a refusal by the creatives' caps, so that a session that has used up the best campaigns gets the next one. */
  refund(advertiserId: string): void {
    if (this.#refunds >= MAX_REFUNDS) return;
    this.#refunds += 1;
    this.#used.splice(this.#used.lastIndexOf(advertiserId), 1);
  }

  /** Whether the advertiser's latest reservation may be repeated without taking what is left to others. */
  mayRepeat(advertiserId: string): boolean {
    return countOf(this.#used, advertiserId) < this.left;
  }

  /** Whether the decision may restart because Redis has a newer version of the advertiser's campaign than this instance. */
  startFresh(advertiserId: string): boolean {
    if (countOf(this.#freshStarts, advertiserId) >= MAX_FRESH_STARTS) return false;
    this.#freshStarts.push(advertiserId);
    return true;
  }

  /** The advertisers whose campaigns are tried only after those of all others. */
  deferred(): string[] {
    if (this.isUnused) return this.#used;
    return [...new Set(this.#used)].filter((one) => !this.mayRepeat(one));
  }
}

function countOf(list: readonly string[], wanted: string): number {
  let count = 0;
  for (const one of list) if (one === wanted) count += 1;
  return count;
}
