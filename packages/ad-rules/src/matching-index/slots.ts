import { type Capacity, grown, lowestBit } from "./posting.ts";
import { SlotRecords } from "./slot-records.ts";
import type { Tenant } from "./tenant.ts";

/** Bounds within one step of this factor share words; about the width of the tie band. */
const ladderFactor = 1.01;
const logLadderFactor = Math.log(ladderFactor);
const fullWord = -1;
/** Words of neighbouring steps are neighbours in memory: pages of so many words have one region of the ladder each. */
const pageWords = 16;
const stepsPerRegion = 16;

/**
 * Places for campaigns, ordered by the highest rank that they can reach (their bound), roughly.
 *
 * Slots come in words of 32, so that one operation on the bits of a word is one on 32 campaigns. All bounds of a word lie
 * on the same step of a geometric ladder, and `order` lists the words from the highest step to the lowest. A campaign
 * keeps its slot as long as it stays as it is: nothing is moved when another one comes or goes.
 *
 * Invariants: `alive` has exactly the bits of slots that have a tenant; no word in `order` is empty; `reach` of a word is
 * at least the bound of each of its campaigns, and does not rise along `order`.
 */
export class Slots implements Capacity {
  /** Ids of the words in use, from the highest step to the lowest; `orderLength` of them count. */
  order = new Int32Array(pageWords);
  orderLength = 0;
  wordCapacity = pageWords;
  readonly #longestList: number;
  readonly #tenants: (Tenant | undefined)[] = [];
  readonly records = new SlotRecords(pageWords * 32);
  #alive = new Int32Array(pageWords);
  #steps = new Int32Array(pageWords);
  #reaches = new Float64Array(pageWords);
  #highestBounds = new Float64Array(pageWords);
  /** By region: words of its pages that are not in use. */
  readonly #spareWords = new Map<number, number[]>();
  readonly #freePages: number[] = [];
  #pageCount = 0;
  /** By step: its words that still have room. */
  readonly #roomy = new Map<number, number[]>();

  constructor(longestList: number) {
    this.#longestList = longestList;
  }

  get longestList(): number {
    return Math.max(this.#longestList, this.wordCapacity >> 5);
  }

  /** The upper end of the word's step. */
  reach(word: number): number {
    return this.#reaches[word] ?? 0;
  }

  /** No campaign of the word has a higher bound; finer than `reach`, but in no order. */
  highestBound(word: number): number {
    return this.#highestBounds[word] ?? 0;
  }

  /** Bits of the slots that have a tenant. */
  alive(word: number): number {
    return this.#alive[word] ?? 0;
  }

  tenant(slot: number): Tenant {
    const tenant = this.#tenants[slot];
    if (tenant === undefined) throw new Error(`slot ${slot} is empty`);
    return tenant;
  }

  /** A free slot among those of similar bounds. */
  take(tenant: Tenant): number {
    const { bound } = tenant;
    const step = Math.floor(Math.log(Math.max(bound, 1e-9)) / logLadderFactor);
    const roomy = this.#roomy.get(step);
    const word = roomy?.at(-1) ?? this.#addWord(step);
    const taken = this.alive(word);
    const slot = word * 32 + lowestBit(~taken);
    this.#alive[word] = taken | (1 << (slot & 31));
    if (this.#alive[word] === fullWord) this.#leaveRoomy(step, word);
    this.#highestBounds[word] = Math.max(bound, this.highestBound(word));
    this.#tenants[slot] = tenant;
    this.records.set(slot, tenant);
    return slot;
  }

  /** Its postings must be gone before. */
  free(slot: number): void {
    const word = slot >>> 5;
    const step = this.#steps[word] ?? 0;
    if (this.alive(word) === fullWord) this.#joinRoomy(step, word);
    this.#alive[word] = this.alive(word) & ~(1 << (slot & 31));
    this.#tenants[slot] = undefined;
    if (this.#alive[word] !== 0) return;
    this.#leaveRoomy(step, word);
    this.#returnWord(step, word);
    const place = this.order.indexOf(word, this.#firstOfStep(step));
    this.order.copyWithin(place, place + 1, this.orderLength);
    this.orderLength -= 1;
  }

  #addWord(step: number): number {
    const word = this.#spareWord(step);
    this.#steps[word] = step;
    this.#highestBounds[word] = Number.NEGATIVE_INFINITY;
    this.#reaches[word] = Math.exp((step + 1) * logLadderFactor) * (1 + 1e-9);
    const place = this.#firstOfStep(step);
    this.order.copyWithin(place + 1, place, this.orderLength);
    this.order[place] = word;
    this.orderLength += 1;
    this.#joinRoomy(step, word);
    return word;
  }

  #spareWord(step: number): number {
    const region = Math.floor(step / stepsPerRegion);
    const spare = this.#spareWords.get(region)?.pop();
    if (spare !== undefined) return spare;
    const page = this.#freePages.pop() ?? this.#pageCount++;
    if (page * pageWords >= this.wordCapacity) this.#grow();
    const words = Array.from({ length: pageWords }, (_, place) => page * pageWords + pageWords - 1 - place);
    this.#spareWords.set(region, words);
    return words.pop() ?? 0;
  }

  /** A page with no word in use is free for any region. */
  #returnWord(step: number, word: number): void {
    const region = Math.floor(step / stepsPerRegion);
    const page = Math.floor(word / pageWords);
    const spare = [...(this.#spareWords.get(region) ?? []), word];
    const others = spare.filter((one) => Math.floor(one / pageWords) !== page);
    const isFree = spare.length - others.length === pageWords;
    if (isFree) this.#freePages.push(page);
    this.#spareWords.set(region, isFree ? others : spare);
  }

  #grow(): void {
    const half = Math.floor(this.wordCapacity / pageWords / 2) * pageWords;
    this.wordCapacity += Math.max(half, pageWords);
    this.order = grown(this.order, this.wordCapacity);
    this.#alive = grown(this.#alive, this.wordCapacity);
    this.#steps = grown(this.#steps, this.wordCapacity);
    this.#reaches = grownFloats(this.#reaches, this.wordCapacity);
    this.#highestBounds = grownFloats(this.#highestBounds, this.wordCapacity);
    this.records.grow(this.wordCapacity * 32);
  }

  #joinRoomy(step: number, word: number): void {
    const roomy = this.#roomy.get(step);
    if (roomy === undefined) this.#roomy.set(step, [word]);
    else roomy.push(word);
  }

  #leaveRoomy(step: number, word: number): void {
    const roomy = this.#roomy.get(step) ?? [];
    roomy.splice(roomy.lastIndexOf(word), 1);
    if (roomy.length === 0) this.#roomy.delete(step);
  }

  /** The first place in `order` whose step is not above the given one. */
  #firstOfStep(step: number): number {
    let low = 0;
    let high = this.orderLength;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#steps[this.order[middle] ?? 0] ?? 0) > step) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function grownFloats(array: Float64Array, length: number): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(length);
  longer.set(array);
  return longer;
}
