import { type Capacity, Posting } from "./posting.ts";

/** Where the slots of campaigns are posted by the terms of one kind that they have. */
export interface TermTable<Term> {
  /** Adding a slot twice in a row under one term is the same as once. */
  add(term: Term, slot: number): void;
  /** What is not there is ignored. */
  remove(term: Term, slot: number): void;
}

/** Postings by key. */
export class PostingTable<Key> implements TermTable<Key> {
  readonly #postings = new Map<Key, Posting>();
  readonly #capacity: Capacity;

  constructor(capacity: Capacity) {
    this.#capacity = capacity;
  }

  find(key: Key): Posting | undefined {
    return this.#postings.get(key);
  }

  add(key: Key, slot: number): void {
    let posting = this.#postings.get(key);
    if (posting === undefined) {
      posting = new Posting();
      this.#postings.set(key, posting);
    }
    posting.add(slot, this.#capacity);
  }

  remove(key: Key, slot: number): void {
    const posting = this.#postings.get(key);
    posting?.remove(slot, this.#capacity);
    if (posting?.isEmpty) this.#postings.delete(key);
  }
}
