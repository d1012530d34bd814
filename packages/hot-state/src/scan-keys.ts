import { Cluster, type Redis } from "ioredis";
import type { RedisConnection } from "./connection.ts";

export const KEYS_PER_STEP = 500;

/** Names of all keys, on all nodes of a cluster, in steps of about KEYS_PER_STEP. A name may occur twice. */
export async function* scanKeys(redis: RedisConnection): AsyncGenerator<string[]> {
  const nodes: Redis[] = redis instanceof Cluster ? redis.nodes("master") : [redis];
  for (const node of nodes) {
    let cursor = "0";
    do {
      const [next, keys] = await node.scan(cursor, "COUNT", KEYS_PER_STEP);
      cursor = next;
      yield keys;
    } while (cursor !== "0");
  }
}
