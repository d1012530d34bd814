import { Arena } from "./arena.ts";
import { BoundPosting, entryOf } from "./bound-posting.ts";
import { Posting } from "./posting.ts";
import { bits, field, type Records } from "./records.ts";

const groups = [field.places, field.categories, field.tags];

/** The records of one key. */
export class KeyPosting {
  readonly byBid = new Posting();
  readonly byBound: BoundPosting;

  constructor(memory: Arena) {
    this.byBound = new BoundPosting(memory);
  }

  get size(): number {
    return this.byBid.size;
  }

  insert(bid: number, entry: readonly number[], address: number): void {
    this.byBid.insert(bid, address);
    this.byBound.insert(entry);
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
  /** Of all postings by bound. */
  readonly #memory = new Arena();
  readonly unkeyed = new KeyPosting(this.#memory);
  /** By term. */
  readonly keys: (KeyPosting | undefined)[] = [];
  readonly affinities: (Posting | undefined)[] = [];
  /** Of each term's key posting the highest bid, then the highest bound; 0 when there is none. */
  tops = new Int32Array(2_048);
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
    const entry = entryOf(bound, address, bid, terms, records.weights(address));
    this.size += 1;
    if (key === null) this.unkeyed.insert(bid, entry, address);
    else {
      for (const term of key) {
        this.#keyAt(term).insert(bid, entry, address);
        this.#noteTops(term);
      }
    }
    for (const term of affine) this.#affinityAt(term).insert(bound, address);
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
        this.#noteTops(term);
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
    const posting = this.keys[term] ?? new KeyPosting(this.#memory);
    this.keys[term] = posting;
    return posting;
  }

  #noteTops(term: number): void {
    if (term * 2 >= this.tops.length) {
      const longer = new Int32Array(term * 4);
      longer.set(this.tops);
      this.tops = longer;
    }
    const posting = this.keys[term];
    this.tops[term * 2] = posting?.byBid.blocks[0]?.[0] ?? 0;
    this.tops[term * 2 + 1] = posting?.byBound.top ?? 0;
  }

  #affinityAt(term: number): Posting {
    this.#room(this.affinities, term);
    const posting = this.affinities[term] ?? new Posting();
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
