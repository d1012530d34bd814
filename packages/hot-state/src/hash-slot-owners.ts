import { Cluster } from "ioredis";
import type { RedisConnection } from "./connection.ts";
import { isRedisUnavailable } from "./redis-unavailable.ts";

/**
 * The ids of the nodes that say of themselves that they own a hash slot; no hash slot at all on a single Redis. Wallets of a node
 * that is unavailable are left out.
 */
export async function hashSlotOwners(redis: RedisConnection): Promise<Map<number, string>> {
  const owners = new Map<number, string>();
  if (!(redis instanceof Cluster)) return owners;
  const reports = await Promise.all(
    redis.nodes("master").map((node) =>
      node.cluster("NODES").catch((error: unknown) => {
        if (isRedisUnavailable(error)) return "";
        throw error;
      }),
    ),
  );
  for (const report of reports) {
    const own = String(report)
      .split("\n")
      .find((line) => line.includes("myself"));
    // id, address, flags, master, ping, pong, epoch, state, then `first-last`, `hash slot`, and in brackets what is on its way.
    const [id = "", , , , , , , , ...ranges] = own?.split(" ") ?? [];
    for (const range of ranges) {
      const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? [];
      for (let hashSlot = Number(first); hashSlot <= Number(last); hashSlot += 1) owners.set(hashSlot, id);
    }
  }
  return owners;
}
