interface Entry<Value> {
  value: Value;
  weight: number;
}

/**
 * A bounded cache with approximate LRU eviction. Entries are in two generations; when the newer one is full, it replaces the
 * older one, which is dropped. So a read costs one or two lookups, and no order is maintained.
 */
export class RecentMap<Key, Value> {
  readonly #maxPerGeneration: number;
  #newer = new Map<Key, Entry<Value>>();
  #newerWeight = 0;
  #older = new Map<Key, Entry<Value>>();

  /**
   * @param maxWeight maximum total weight of the entries, at least 2 (else RangeError). With entries of weight 1, the cache
   * contains at least the `maxWeight / 2` most recently used ones.
   */
  constructor(maxWeight: number) {
    if (!(maxWeight >= 2)) throw new RangeError("maxWeight of a RecentMap must be at least 2");
    this.#maxPerGeneration = Math.floor(maxWeight / 2);
  }

  get size(): number {
    return this.#newer.size + this.#older.size;
  }

  get(key: Key): Value | undefined {
    const newer = this.#newer.get(key);
    if (newer !== undefined) return newer.value;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older.value, older.weight);
    return older?.value;
  }

  /** @param weight at least 1; a value heavier than half of `maxWeight` is not cached */
  set(key: Key, value: Value, weight = 1): void {
    this.delete(key);
    if (weight > this.#maxPerGeneration) return;
    if (this.#newerWeight + weight > this.#maxPerGeneration) {
      this.#older = this.#newer;
      this.#newer = new Map();
      this.#newerWeight = 0;
    }
    this.#newer.set(key, { value, weight });
    this.#newerWeight += weight;
  }

  delete(key: Key): void {
    this.#newerWeight -= this.#newer.get(key)?.weight ?? 0;
    this.#newer.delete(key);
    this.#older.delete(key);
  }
}
