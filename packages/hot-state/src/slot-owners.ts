import { Cluster } from "ioredis";
import type { RedisConnection } from "./connection.ts";
import { isRedisAway } from "./redis-away.ts";

/**
 * The ids of the nodes that say of themselves that they own a hash slot; no slot at all on a single Redis. Slots of a node
 * that is away are left out.
 */
export async function slotOwners(redis: RedisConnection): Promise<Map<number, string>> {
  const owners = new Map<number, string>();
  if (!(redis instanceof Cluster)) return owners;
  const reports = await Promise.all(
    redis.nodes("master").map((node) =>
      node.cluster("NODES").catch((error: unknown) => {
        if (isRedisAway(error)) return "";
        throw error;
      }),
    ),
  );
  for (const report of reports) {
    const own = String(report)
      .split("\n")
      .find((line) => line.includes("myself"));
    // id, address, flags, master, ping, pong, epoch, state, then `first-last`, `slot`, and in brackets what is on its way.
    const [id = "", , , , , , , , ...ranges] = own?.split(" ") ?? [];
    for (const range of ranges) {
      const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? [];
      for (let slot = Number(first); slot <= Number(last); slot += 1) owners.set(slot, id);
    }
  }
  return owners;
}
