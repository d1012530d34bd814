interface Entry<Value> {
  value: Value;
  places: number;
}

/**
 * A bounded cache: what was put in or read lately. Its entries are in two generations; when the newer one is full, the older
 * one is forgotten and takes its place. So a read costs one or two looks, and there is no order to keep.
 */
export class RecentMap<Key, Value> {
  readonly #maxPerGeneration: number;
  #newer = new Map<Key, Entry<Value>>();
  #newerPlaces = 0;
  #older = new Map<Key, Entry<Value>>();

  /**
   * @param most so many places there are, at least 2 (else RangeError); of entries of one place, at least half as many of
   * those that were used last are in it
   */
  constructor(most: number) {
    if (!(most >= 2)) throw new RangeError("a map of two generations has at least 2 places");
    this.#maxPerGeneration = Math.floor(most / 2);
  }

  get size(): number {
    return this.#newer.size + this.#older.size;
  }

  get(key: Key): Value | undefined {
    const newer = this.#newer.get(key);
    if (newer !== undefined) return newer.value;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older.value, older.places);
    return older?.value;
  }

  /** @param places how many the value takes, at least 1; one that takes more than half of all is not kept */
  set(key: Key, value: Value, places = 1): void {
    this.delete(key);
    if (places > this.#maxPerGeneration) return;
    if (this.#newerPlaces + places > this.#maxPerGeneration) {
      this.#older = this.#newer;
      this.#newer = new Map();
      this.#newerPlaces = 0;
    }
    this.#newer.set(key, { value, places });
    this.#newerPlaces += places;
  }

  delete(key: Key): void {
    this.#newerPlaces -= this.#newer.get(key)?.places ?? 0;
    this.#newer.delete(key);
    this.#older.delete(key);
  }
}
