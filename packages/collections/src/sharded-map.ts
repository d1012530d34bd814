const shardCount = 64;
const hashedUnits = 8;

/**
 * A map by text of any size that grows a part at a time: a single map of some hundred thousand entries stops everything
 * for many milliseconds whenever it makes room for as many again.
 */
export class ShardedMap<Value> {
  readonly #shards: readonly Map<string, Value>[] = Array.from({ length: shardCount }, () => new Map());

  /** What it holds, in parts small enough to be gone through at once. */
  get parts(): readonly ReadonlyMap<string, Value>[] {
    return this.#shards;
  }

  get size(): number {
    let size = 0;
    for (const shard of this.#shards) size += shard.size;
    return size;
  }

  get(key: string): Value | undefined {
    return this.#shardOf(key).get(key);
  }

  set(key: string, value: Value): void {
    this.#shardOf(key).set(key, value);
  }

  delete(key: string): void {
    this.#shardOf(key).delete(key);
  }

  /** By the end of the key, where identifiers differ. */
  #shardOf(key: string): Map<string, Value> {
    let hash = 0;
    for (let at = Math.max(0, key.length - hashedUnits); at < key.length; at += 1) {
      hash = (Math.imul(hash, 31) + key.charCodeAt(at)) | 0;
    }
    const shard = this.#shards[(hash ^ (hash >>> 12)) & (shardCount - 1)];
    if (shard === undefined) throw new RangeError("no such shard");
    return shard;
  }
}
