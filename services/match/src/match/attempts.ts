/** See docs/behaviour.md#attempts. */
export const MAX_RESERVATIONS = 8;
/** How often one advertiser's changes may make a request decide anew. */
const MAX_FRESH_STARTS = 2;

/**
 * The reservations of one match request, shared among advertisers. An advertiser that has used as many as are left is set
 * aside: its other campaigns are tried only when nobody else has one. So it uses half of them at most while others wait,
 * whatever its campaigns are refused for, and it takes four such advertisers to use up a request.
 */
export class Attempts {
  /** The advertiser of each reservation so far. */
  readonly #used: string[] = [];
  /** The advertiser of each fresh start so far. */
  readonly #freshStarts: string[] = [];

  get left(): number {
    return MAX_RESERVATIONS - this.#used.length;
  }

  get isUnused(): boolean {
    return this.#used.length === 0;
  }

  use(advertiserId: string): void {
    this.#used.push(advertiserId);
  }

  /** Whether the request may be decided anew because a campaign of the advertiser turned out newer than this instance knew. */
  startFresh(advertiserId: string): boolean {
    if (countOf(this.#freshStarts, advertiserId) >= MAX_FRESH_STARTS) return false;
    this.#freshStarts.push(advertiserId);
    return true;
  }

  /** The advertisers whose campaigns wait until those of all others have been tried. */
  quarantine(): string[] {
    if (this.isUnused) return this.#used;
    return [...new Set(this.#used)].filter((one) => countOf(this.#used, one) >= this.left);
  }
}

function countOf(list: readonly string[], wanted: string): number {
  let count = 0;
  for (const one of list) if (one === wanted) count += 1;
  return count;
}
