import type { PreparedRequest } from "../candidates/prepared-request.ts";
import { lowestTie } from "../ranking/rank.ts";
import type { Campaign } from "../types/campaign.ts";
import type { Found, Matcher } from "./matcher.ts";
import { lowestBit } from "./posting.ts";
import { longestBlock } from "./request-filter.ts";
import { TopRanks } from "./top-ranks.ts";

const firstBlock = 8;
/** From so many ties on, and with so many words still to look at, drawing from a sample is considered. */
const crowd = 128;
const wordsWorthSparing = 16;
/** Sampling pays while at least one in so many slots ties. */
const slotsPerTie = 16;

/** Which campaigns a request is about, beyond the rules. */
export interface ScanOptions {
  limit: number;
  skip?: ((campaign: Campaign) => boolean) | undefined;
}

/**
 * One walk over the words from the highest reach down, until nothing below can tie with the last of the `limit` highest
 * ranks found. The matcher must be open for the request.
 *
 * When very many tie, `run` may stop collecting them, once there are enough for sampling to find one quickly: then `top`
 * is still exact, and `found` is not `complete`. All that could take part are then in the words `order[0]` to
 * `order[end - 1]`.
 */
export class Scan {
  readonly top: TopRanks;
  found: Found[] = [];
  /** Whether `found` has all that can take part. */
  complete = true;
  /** The scan's place in the order; after it, the number of words that can have a candidate. */
  end = 0;
  anySkipped = false;
  /** −∞ while none is found. */
  highestRank = Number.NEGATIVE_INFINITY;
  /** Ranks below it cannot take part. */
  #lowestRank = Number.NEGATIVE_INFINITY;
  readonly #matcher: Matcher;
  readonly #request: PreparedRequest;
  readonly #skip: ScanOptions["skip"];

  constructor(matcher: Matcher, request: PreparedRequest, { limit, skip }: ScanOptions) {
    this.#matcher = matcher;
    this.#request = request;
    this.#skip = skip;
    this.top = new TopRanks(limit);
  }

  run(mayLeaveTies: boolean): this {
    const { order, orderLength } = this.#matcher.slots;
    let length = firstBlock;
    while (this.end < orderLength && this.#canTakePart(this.end)) {
      const to = Math.min(this.end + length, orderLength);
      this.#scanBlock(order, to);
      length = Math.min(length * 2, longestBlock);
      if (mayLeaveTies && this.#isCrowded()) {
        this.complete = false;
        this.#raiseTop();
        break;
      }
    }
    this.#dropLower();
    return this;
  }

  #scanBlock(order: Int32Array, to: number): void {
    const { filter, slots } = this.#matcher;
    const passing = filter.block(order, this.end, to);
    for (let at = this.end; at < to; at += 1) {
      let bits = passing[at - this.end] ?? 0;
      if (bits === 0) continue;
      const word = order[at] ?? 0;
      if (slots.highestBound(word) < this.#lowestRank) continue;
      for (; bits !== 0; bits &= bits - 1) this.#consider(word * 32 + lowestBit(bits), this.#lowestRank);
    }
    this.end = to;
  }

  #consider(slot: number, lowestRank: number): void {
    const found = this.#matcher.judge(slot, this.#request, lowestRank);
    if (found === null) return;
    if (this.#skip?.(found.campaign)) {
      this.anySkipped = true;
      return;
    }
    this.top.add(found.rank);
    this.highestRank = Math.max(this.highestRank, found.rank);
    this.#lowestRank = lowestTie(this.top.lowest);
    this.found.push(found);
  }

  #canTakePart(place: number): boolean {
    const { slots } = this.#matcher;
    return slots.reach(slots.order[place] ?? 0) >= this.#lowestRank;
  }

  #isCrowded(): boolean {
    if (this.found.length <= crowd) return false;
    this.#dropLower();
    if (this.found.length <= crowd || this.found.length * slotsPerTie < this.end * 32) return false;
    const spared = this.end + wordsWorthSparing;
    return spared < this.#matcher.slots.orderLength && this.#canTakePart(spared);
  }

  /** Goes on without collecting: only what may still be among the highest is looked at. */
  #raiseTop(): void {
    const { slots, filter } = this.#matcher;
    for (; this.end < slots.orderLength && this.#canTakePart(this.end); this.end += 1) {
      const word = slots.order[this.end] ?? 0;
      if (slots.highestBound(word) <= this.top.lowest) continue;
      for (let bits = filter.word(word); bits !== 0; bits &= bits - 1) {
        const slot = word * 32 + lowestBit(bits);
        if (slots.records.bound(slot) > this.top.lowest) this.#consider(slot, this.top.lowest);
      }
    }
  }

  #dropLower(): void {
    this.found = this.found.filter((one) => one.rank >= this.#lowestRank);
  }
}
