import type { RedisConnection } from "./connection.ts";
import { mastersOf } from "./masters.ts";

export const KEYS_PER_STEP = 500;

/** Names of all keys, on all nodes of a cluster, in steps of about KEYS_PER_STEP. A name may occur twice. */
export async function* scanKeys(redis: RedisConnection): AsyncGenerator<string[]> {
  for (const master of mastersOf(redis)) {
    let cursor = "0";
    do {
      const [next, keys] = await master.scan(cursor, "COUNT", KEYS_PER_STEP);
      cursor = next;
      yield keys;
    } while (cursor !== "0");
  }
}
