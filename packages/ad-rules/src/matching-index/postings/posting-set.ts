import { placeSignatureOfCampaign, signatureOfCampaign } from "../dictionary/signature.ts";
import { bits, field, type Records } from "../documents/records.ts";
import { Arena } from "../storage/arena.ts";
import { BoundPostingList, entryOf } from "./bound-posting-list.ts";
import { BidPostingList, PostingList } from "./posting-list.ts";

const groups = [field.places, field.categories, field.tags];

/**
 * What a search reads first of a term's key posting lists: the highest bid, the highest bound, and address and length of the
 * first block by bound. The length is negative when there are more blocks.
 */
export const head = { topBid: 0, topBound: 1, address: 2, length: 3 } as const;
export const headLength = 4;

/** The records of one key, in two orders. */
export class KeyPostingLists {
  readonly byBid: BidPostingList;
  readonly byBound: BoundPostingList;

  constructor(memory: Arena) {
    this.byBid = new BidPostingList(memory);
    this.byBound = new BoundPostingList(memory);
  }

  get size(): number {
    return this.byBid.size;
  }

  insert(byBid: readonly number[], byBound: readonly number[]): void {
    this.byBid.insert(byBid);
    this.byBound.insert(byBound);
  }

  remove(bid: number, bound: number, address: number): void {
    this.byBid.remove(bid, address);
    this.byBound.remove(bound, address);
  }
}

/**
 * All posting lists.
 *
 * - By key: one of the groups of required terms is the record's key. The lists of each term in that group contain the
 *   record, by bid and by bound; `unkeyed` contains records that require no term. So every record that may serve a request
 *   is in a list of one of the request's terms, or in `unkeyed`.
 * - By affinity: the lists of the terms that can raise its score contain the record, by bound.
 */
export class PostingSet {
  /** The memory of all posting lists. */
  readonly memory = new Arena();
  readonly unkeyed = new KeyPostingLists(this.memory);
  /** By term. */
  readonly keys: (KeyPostingLists | undefined)[] = [];
  readonly affinities: (PostingList | undefined)[] = [];
  /** By term: four numbers as in `head`; all 0 when the term is not a key. */
  heads = new Int32Array(4_096);
  readonly #records: Records;
  size = 0;

  constructor(records: Records) {
    this.#records = records;
  }

  /** Chooses the record's key: the group with the fewest entries in its posting lists. */
  chooseKey(address: number): void {
    let key = 0;
    let fewest = Number.POSITIVE_INFINITY;
    for (const group of groups) {
      const terms = this.#records.list(address, group);
      if (terms.length === 0) continue;
      let entries = 0;
      for (const term of terms) entries += 1 + (this.keys[term]?.size ?? 0);
      if (entries >= fewest) continue;
      fewest = entries;
      key = group - field.places + 1;
    }
    const traits = this.#records.get(address, field.traits) & ~(bits.keyMask << bits.keyShift);
    this.#records.set(address, field.traits, traits | (key << bits.keyShift));
  }

  add(address: number): void {
    const { bid, bound, key, affineTermSet } = this.#keysOf(address);
    const records = this.#records;
    const terms = records.list(address, field.affinities);
    const signature = signatureOfCampaign(
      records.get(address, field.traits) & bits.creativeTypes,
      records.list(address, field.categories),
    );
    const places = placeSignatureOfCampaign(records.list(address, field.places));
    const weights = records.weights(address);
    const entry = entryOf({ bound, record: address, signature, places, bidCents: bid, terms, weights });
    const byBid = [bid, address, signature, places];
    this.size += 1;
    if (key === null) this.unkeyed.insert(byBid, entry);
    else {
      for (const term of key) {
        this.#keyAt(term).insert(byBid, entry);
        this.#updateHead(term);
      }
    }
    for (const term of affineTermSet) this.#affinityAt(term).insert([bound, address]);
  }

  remove(address: number): void {
    const { bid, bound, key, affineTermSet } = this.#keysOf(address);
    this.size -= 1;
    if (key === null) this.unkeyed.remove(bid, bound, address);
    else {
      for (const term of key) {
        const posting = this.#keyAt(term);
        posting.remove(bid, bound, address);
        if (posting.size === 0) this.keys[term] = undefined;
        this.#updateHead(term);
      }
    }
    for (const term of affineTermSet) {
      const posting = this.#affinityAt(term);
      posting.remove(bound, address);
      if (posting.size === 0) this.affinities[term] = undefined;
    }
  }

  #keyAt(term: number): KeyPostingLists {
    this.#fill(this.keys, term);
    const posting = this.keys[term] ?? new KeyPostingLists(this.memory);
    this.keys[term] = posting;
    return posting;
  }

  #updateHead(term: number): void {
    const at = term * headLength;
    if (at >= this.heads.length) {
      const longer = new Int32Array(at * 2);
      longer.set(this.heads);
      this.heads = longer;
    }
    const posting = this.keys[term];
    this.heads[at + head.topBid] = posting?.byBid.top ?? 0;
    this.heads[at + head.topBound] = posting?.byBound.top ?? 0;
    this.heads[at + head.address] = posting?.byBound.addressAt(0) ?? 0;
    const length = posting?.byBound.lengthOf(0) ?? 0;
    this.heads[at + head.length] = (posting?.byBound.blockCount ?? 0) > 1 ? -length : length;
  }

  #affinityAt(term: number): PostingList {
    this.#fill(this.affinities, term);
    const posting = this.affinities[term] ?? new PostingList(this.memory);
    this.affinities[term] = posting;
    return posting;
  }

  /** Fills without gaps, so that V8 keeps the array packed. */
  #fill(postings: unknown[], term: number): void {
    while (postings.length <= term) postings.push(undefined);
  }

  #keysOf(address: number) {
    const records = this.#records;
    const group = (records.get(address, field.traits) >>> bits.keyShift) & bits.keyMask;
    return {
      bid: records.get(address, field.bidCents),
      bound: records.get(address, field.bound),
      key: group === 0 ? null : records.list(address, field.places + group - 1),
      affineTermSet: affineTerms(records, address),
    };
  }
}

/** The distinct terms that can raise the record's score. */
export function affineTerms(records: Records, address: number): Set<number> {
  const weights = records.weights(address);
  const affineTermSet = new Set<number>();
  for (const [index, term] of records.list(address, field.affinities).entries()) {
    if ((weights[index] ?? 0) > 0) affineTermSet.add(term);
  }
  return affineTermSet;
}
