import calculateSlot from "cluster-key-slot";
import { Cluster } from "ioredis";
import type { RedisConnection } from "./connection.ts";
import { askMasters } from "./masters.ts";

/** The hash slot (0 to 16383) of all keys with this hash tag. */
export function hashSlotOf(tag: string): number {
  return calculateSlot(`{${tag}}`);
}

/**
 * Ids of the nodes that own each hash slot by their own account; empty on a single Redis. Omits the slots of
 * unavailable nodes.
 */
export async function hashSlotOwners(redis: RedisConnection): Promise<Map<number, string>> {
  const owners = new Map<number, string>();
  if (!(redis instanceof Cluster)) return owners;
  const reports = await askMasters(redis, (master) => master.cluster("NODES"));
  for (const report of reports) {
    const own = report.split("\n").find((line) => line.includes("myself"));
    // id, address, flags, master, ping, pong, epoch, state, then `first-last` or a single slot, and in brackets slots in
    // migration.
    const [id = "", , , , , , , , ...ranges] = own?.split(" ") ?? [];
    for (const range of ranges) {
      const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? [];
      for (let hashSlot = Number(first); hashSlot <= Number(last); hashSlot += 1) owners.set(hashSlot, id);
    }
  }
  return owners;
}
