import { placeSignatureOfCampaign, signatureOfCampaign } from "../dictionary/signature.ts";
import { bits, field, type Records } from "../documents/records.ts";
import { entryOf } from "./entry.ts";
import { PostingLists, unkeyed } from "./posting-lists.ts";

const groups = [field.places, field.categories, field.tags];
const noTerms = [unkeyed];

/**
 * The records that searches find. One of the groups of required terms is a record's key: the lists of all terms in that group
 * contain the record. Records that require no term are in the list `unkeyed`. So every record that may serve a request is in
 * a list of one of the request's terms, or in `unkeyed`.
 */
export class PostingSet {
  readonly lists = new PostingLists();
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
      for (const term of terms) entries += 1 + this.lists.countOf(term);
      if (entries >= fewest) continue;
      fewest = entries;
      key = group;
    }
    this.#records.set(address, field.key, key);
  }

  add(address: number): void {
    const records = this.#records;
    const entry = entryOf({
      bound: records.get(address, field.bound),
      record: address,
      signature: signatureOfCampaign(
        records.get(address, field.traits) & bits.creativeTypes,
        records.list(address, field.categories),
      ),
      places: placeSignatureOfCampaign(records.list(address, field.places)),
      bidCents: records.get(address, field.bidCents),
      terms: records.list(address, field.affinities),
      weights: records.weights(address),
    });
    for (const term of this.#keyOf(address)) this.lists.insert(term, entry);
    this.size += 1;
  }

  remove(address: number): void {
    const bound = this.#records.get(address, field.bound);
    for (const term of this.#keyOf(address)) this.lists.remove(term, bound, address);
    this.size -= 1;
  }

  /** The terms whose lists contain the record. */
  #keyOf(address: number): Iterable<number> {
    const key = this.#records.get(address, field.key);
    return key === 0 ? noTerms : this.#records.list(address, key);
  }
}
