import type { PreparedRequest } from "../candidates/prepared-request.ts";
import {
  any,
  anyCell,
  type CampaignTerms,
  cityInStateKey,
  cityKey,
  countryKey,
  stateKey,
  typeSetOf,
} from "./campaign-terms.ts";
import type { PhraseEntry } from "./phrase-dictionary.ts";
import type { Capacity, Posting } from "./posting.ts";
import { cellOf } from "./radius-cells.ts";

/** The union of postings, as bits: those that are lists are gathered in bits of its own. */
class Union {
  /** The members that are bits, `gathered` among them if it has any. */
  readonly members: Int32Array[] = [];
  #gathered = new Int32Array(0);
  readonly #lists: (readonly number[])[] = [];

  add(posting: Posting | null | undefined, capacity: Capacity): void {
    if (posting === null || posting === undefined) return;
    const bits = posting.bits(capacity);
    if (bits !== null) this.members.push(bits);
    else if (posting.list !== null) this.#lists.push(posting.list);
  }

  /** To be called once, after the last `add`. */
  gather(wordCapacity: number): void {
    if (this.#lists.length === 0) return;
    if (this.#gathered.length < wordCapacity) this.#gathered = new Int32Array(wordCapacity);
    const gathered = this.#gathered;
    for (const list of this.#lists) {
      for (let place = 0; place < list.length; place += 1) {
        const slot = list[place] ?? 0;
        gathered[slot >>> 5] = (gathered[slot >>> 5] ?? 0) | (1 << (slot & 31));
      }
    }
    this.members.push(gathered);
  }

  /** Makes it empty. The postings must be as they were when they were added. */
  clear(): void {
    for (const list of this.#lists) {
      for (let place = 0; place < list.length; place += 1) this.#gathered[(list[place] ?? 0) >>> 5] = 0;
    }
    this.#lists.length = 0;
    this.members.length = 0;
  }

  word(word: number): number {
    let bits = 0;
    for (const member of this.members) bits |= member[word] ?? 0;
    return bits;
  }
}

/**
 * The postings that keep campaigns out. Those that are wide are applied as bits, like the unions; the others keep few
 * out, so they are asked only about the slots that could win.
 */
class Blocked {
  readonly wide: Int32Array[] = [];
  readonly #narrow = new Union();
  #isGathered = false;

  add(posting: Posting | null | undefined, capacity: Capacity): void {
    if (posting === null || posting === undefined) return;
    const bits = posting.isWide(capacity) ? posting.bits(capacity) : null;
    if (bits !== null) this.wide.push(bits);
    else this.#narrow.add(posting, capacity);
  }

  /** Like `add`, for what the caller checks by itself if it is not wide. */
  addWide(posting: Posting | null, capacity: Capacity): void {
    if (posting?.isWide(capacity)) this.add(posting, capacity);
  }

  clear(): void {
    this.wide.length = 0;
    this.#narrow.clear();
    this.#isGathered = false;
  }

  hasNarrowly(slot: number, { wordCapacity }: Capacity): boolean {
    if (!this.#isGathered) this.#narrow.gather(wordCapacity);
    this.#isGathered = true;
    return (this.#narrow.word(slot >>> 5) & (1 << (slot & 31))) !== 0;
  }

  word(word: number): number {
    let bits = 0;
    for (const member of this.wide) bits |= member[word] ?? 0;
    return bits;
  }
}

/** The most words that are filtered at once. */
export const longestBlock = 256;

/**
 * Rules 1 to 7 as operations on bits: of a candidate's slot the bit is set in a union of postings per rule that asks for
 * something, and clear in those that block. What is left is up to the caller for each slot that passes: `blocks`, rare
 * keywords, schedules and circles.
 */
export class RequestFilter {
  readonly #types = new Union();
  readonly #places = new Union();
  readonly #categories = new Union();
  readonly #tags = new Union();
  readonly #required = [this.#types, this.#places, this.#categories, this.#tags];
  readonly #blocked = new Blocked();
  readonly #passing = new Int32Array(longestBlock);
  readonly #union = new Int32Array(longestBlock);
  readonly #capacity: Capacity;
  readonly #terms: CampaignTerms;

  constructor(terms: CampaignTerms, capacity: Capacity) {
    this.#terms = terms;
    this.#capacity = capacity;
  }

  /** The first `inNarrative` of `phrases` occur in the narrative, the others elsewhere in the context. */
  set(request: PreparedRequest, phrases: readonly PhraseEntry[], inNarrative: number): void {
    const capacity = this.#capacity;
    const { context, placement } = request;
    const { blocked, typeSets, categories, tags, untagged } = this.#terms;
    this.#types.add(typeSets.find(typeSetOf(request.placementTypes)), capacity);
    this.#setPlaces(request);
    this.#categories.add(categories.find(any), capacity);
    this.#tags.add(untagged.find(any), capacity);
    for (const term of context.terms) this.#tags.add(tags.find(term), capacity);
    for (let place = 0; place < phrases.length; place += 1) {
      const entry = phrases[place];
      if (entry === undefined) continue;
      this.#blocked.addWide(entry.keyword, capacity);
      if (place < inNarrative && entry.tags !== null)
        for (const tag of entry.tags) this.#tags.add(tag, capacity);
    }
    for (const name of placement.blockedAdvertisers)
      this.#blocked.add(blocked.advertisers.find(name), capacity);
    for (const name of placement.blockedCategories) this.#blocked.add(blocked.names.find(name), capacity);
    if (context.theme !== null) this.#blocked.add(blocked.themes.find(context.theme), capacity);
    if (context.category !== null) {
      this.#categories.add(categories.find(context.category), capacity);
      this.#blocked.add(blocked.categories.find(context.category), capacity);
    }
    for (const action of context.actions) this.#blocked.add(blocked.actions.find(action), capacity);
    this.#blocked.add(blocked.gameIds.find(request.gameId), capacity);
    for (const union of this.#required) union.gather(capacity.wordCapacity);
  }

  /** Must follow every `set`, before anything of the index changes. */
  clear(): void {
    for (const union of this.#required) union.clear();
    this.#blocked.clear();
  }

  /** Whether a posting that is not applied as bits keeps the slot out. */
  blocks(slot: number): boolean {
    return this.#blocked.hasNarrowly(slot, this.#capacity);
  }

  /** The slots of one word that pass. */
  word(word: number): number {
    let bits = ~this.#blocked.word(word);
    for (const union of this.#required) bits &= union.word(word);
    return bits;
  }

  /** For the words `order[from]` to `order[to - 1]` the slots that pass; valid until the next call. */
  block(order: Int32Array, from: number, to: number): Int32Array {
    const passing = this.#passing;
    passing.fill(-1, 0, to - from);
    for (const union of this.#required) this.#intersect(union, order, from, to);
    for (const member of this.#blocked.wide) {
      for (let at = from; at < to; at += 1) {
        passing[at - from] = (passing[at - from] ?? 0) & ~(member[order[at] ?? 0] ?? 0);
      }
    }
    return passing;
  }

  #intersect({ members }: Union, order: Int32Array, from: number, to: number): void {
    const passing = this.#passing;
    const union = this.#union;
    const last = members[members.length - 1];
    if (last === undefined) {
      passing.fill(0, 0, to - from);
      return;
    }
    union.fill(0, 0, to - from);
    for (let place = 0; place < members.length - 1; place += 1) {
      const member = members[place] ?? last;
      for (let at = from; at < to; at += 1) {
        union[at - from] = (union[at - from] ?? 0) | (member[order[at] ?? 0] ?? 0);
      }
    }
    for (let at = from; at < to; at += 1) {
      passing[at - from] =
        (passing[at - from] ?? 0) & ((union[at - from] ?? 0) | (last[order[at] ?? 0] ?? 0));
    }
  }

  #setPlaces({ player }: PreparedRequest): void {
    const capacity = this.#capacity;
    const { includes, includedCells, blocked } = this.#terms;
    this.#places.add(includes.find(any), capacity);
    const both = (key: string) => {
      this.#places.add(includes.find(key), capacity);
      this.#blocked.add(blocked.excludes.find(key), capacity);
    };
    const { country, state, city, point } = player;
    if (country !== null) {
      both(countryKey(country));
      if (state !== null) both(stateKey(country, state));
      if (city !== null) both(cityKey(country, city));
      if (state !== null && city !== null) both(cityInStateKey(country, state, city));
    }
    if (point !== null) {
      this.#places.add(includedCells.find(cellOf(point)), capacity);
      this.#places.add(includedCells.find(anyCell), capacity);
    }
  }
}
