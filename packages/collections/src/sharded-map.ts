const shardCount = 64;
const hashedUnits = 8;

/**
 * A map with string keys that grows shard by shard: a single map of some hundred thousand entries blocks for many
 * milliseconds whenever it doubles its capacity.
 */
export class ShardedMap<Value> {
  readonly #shards: readonly Map<string, Value>[] = Array.from({ length: shardCount }, () => new Map());

  /** The entries in shards, each small enough to iterate without a noticeable pause. */
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

  /** Hashes the end of the key, where identifiers differ. */
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
