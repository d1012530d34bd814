/**
 * A bounded cache: what was put in or read lately. Its entries are in two generations; when the newer one is full, the older
 * one is forgotten and takes its place. So a read costs one or two looks, and there is no order to keep.
 */
export class RecentMap<Key, Value> {
  readonly #mostPerGeneration: number;
  #newer = new Map<Key, Value>();
  #older = new Map<Key, Value>();

  /** @param most it never holds more; at least half as many of those that were used last are in it */
  constructor(most: number) {
    this.#mostPerGeneration = Math.max(1, Math.floor(most / 2));
  }

  get size(): number {
    return this.#newer.size + this.#older.size;
  }

  get(key: Key): Value | undefined {
    const newer = this.#newer.get(key);
    if (newer !== undefined) return newer;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: Key, value: Value): void {
    this.#older.delete(key);
    if (this.#newer.size >= this.#mostPerGeneration && !this.#newer.has(key)) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(key, value);
  }

  delete(key: Key): void {
    this.#newer.delete(key);
    this.#older.delete(key);
  }
}
