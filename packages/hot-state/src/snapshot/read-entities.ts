import { setImmediate as nextTurn } from "node:timers/promises";
import type { RedisConnection } from "../connection.ts";
import { snapshotKeys } from "../keys.ts";

/**
 * All entities of the snapshot in pages of at most `pageSize`, with a turn of the event loop between two. An entity
 * that changes on the way may come in its old or new form, or twice: read the change log afterwards.
 */
export async function* readEntities(
  redis: RedisConnection,
  pageSize: number,
): AsyncGenerator<{ name: string; json: string }[]> {
  let cursor = "0";
  do {
    const [next, pairs] = await redis.hscan(snapshotKeys.entities, cursor, "COUNT", pageSize);
    cursor = next;
    // A small hash answers as a whole, and a page may be a little longer than asked for.
    for (let start = 0; start < pairs.length; start += pageSize * 2) {
      const page: { name: string; json: string }[] = [];
      for (let i = start; i < Math.min(pairs.length, start + pageSize * 2); i += 2) {
        page.push({ name: pairs[i] ?? "", json: pairs[i + 1] ?? "" });
      }
      yield page;
      await nextTurn();
    }
  } while (cursor !== "0");
}
