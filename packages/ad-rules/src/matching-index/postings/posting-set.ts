import { placeSignatureOfCampaign, signatureOfCampaign } from "../dictionary/signature.ts";
import { bits, field, type Records } from "../documents/records.ts";
import { Arena } from "../storage/arena.ts";
import { BoundPosting, entryOf } from "./bound-posting.ts";
import { BidPosting, Posting } from "./posting.ts";

const groups = [field.places, field.categories, field.tags];

/**
 * What a search reads of a term's key posting before anything else: the highest bid and bound, and where the first block by
 * bound stands. Its length is negative when there are more blocks.
 */
export const head = { topBid: 0, topBound: 1, address: 2, length: 3 } as const;
export const headLength = 4;

/** The records of one key. */
export class KeyPosting {
  readonly byBid: BidPosting;
  readonly byBound: BoundPosting;

  constructor(memory: Arena) {
    this.byBid = new BidPosting(memory);
    this.byBound = new BoundPosting(memory);
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
 * Where records stand, so that a request only meets those that it may concern.
 *
 * - By key: of the groups of which a record requires a term each, one is its key. It stands at each term of that group, by
 *   bid and by bound; one that requires nothing stands at `unkeyed`. So every record that may serve a request stands at
 *   one of the request's terms, or is unkeyed.
 * - By affinity: at each term that can add to its score, in descending order of its bound.
 */
export class PostingSet {
  /** Of all postings. */
  readonly memory = new Arena();
  readonly unkeyed = new KeyPosting(this.memory);
  /** By term. */
  readonly keys: (KeyPosting | undefined)[] = [];
  readonly affinities: (Posting | undefined)[] = [];
  /** By term, four numbers each: see `head`. All 0 when there is no key posting. */
  heads = new Int32Array(4_096);
  readonly #records: Records;
  size = 0;

  constructor(records: Records) {
    this.#records = records;
  }

  /** Chooses the record's key: the group whose postings are shortest together. */
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
    const { bid, bound, key, affine } = this.#placesOf(address);
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
        this.#noteHead(term);
      }
    }
    for (const term of affine) this.#affinityAt(term).insert([bound, address]);
  }

  remove(address: number): void {
    const { bid, bound, key, affine } = this.#placesOf(address);
    this.size -= 1;
    if (key === null) this.unkeyed.remove(bid, bound, address);
    else {
      for (const term of key) {
        const posting = this.#keyAt(term);
        posting.remove(bid, bound, address);
        if (posting.size === 0) this.keys[term] = undefined;
        this.#noteHead(term);
      }
    }
    for (const term of affine) {
      const posting = this.#affinityAt(term);
      posting.remove(bound, address);
      if (posting.size === 0) this.affinities[term] = undefined;
    }
  }

  #keyAt(term: number): KeyPosting {
    this.#room(this.keys, term);
    const posting = this.keys[term] ?? new KeyPosting(this.memory);
    this.keys[term] = posting;
    return posting;
  }

  #noteHead(term: number): void {
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

  #affinityAt(term: number): Posting {
    this.#room(this.affinities, term);
    const posting = this.affinities[term] ?? new Posting(this.memory);
    this.affinities[term] = posting;
    return posting;
  }

  /** Without gaps, so that the list stays a fast one. */
  #room(postings: unknown[], term: number): void {
    while (postings.length <= term) postings.push(undefined);
  }

  #placesOf(address: number) {
    const records = this.#records;
    const group = (records.get(address, field.traits) >>> bits.keyShift) & bits.keyMask;
    return {
      bid: records.get(address, field.bidCents),
      bound: records.get(address, field.bound),
      key: group === 0 ? null : records.list(address, field.places + group - 1),
      affine: affineTerms(records, address),
    };
  }
}

/** The terms that can add to the record's score, each once. */
export function affineTerms(records: Records, address: number): Set<number> {
  const weights = records.weights(address);
  const affine = new Set<number>();
  for (const [place, term] of records.list(address, field.affinities).entries()) {
    if ((weights[place] ?? 0) > 0) affine.add(term);
  }
  return affine;
}
