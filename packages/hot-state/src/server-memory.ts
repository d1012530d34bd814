import type { RedisConnection } from "./connection.ts";
import { mastersOf } from "./masters.ts";

export interface ServerMemory {
  /** `host:port` as this process reaches it. */
  node: string;
  usedBytes: number;
  /** 0: no limit. */
  maxBytes: number;
  /** A server with another policy than `noeviction` drops money and caps when its memory is full. */
  evictionPolicy: string;
  /** A server without an append-only file comes back from a restart without the impressions that billing had not written. */
  isAppendOnly: boolean;
  /** A replica refuses writes: nothing is served while the address leads to one. */
  isReplica: boolean;
}

/** Memory of each server, all but the replicas of a cluster, and which settings decide what it may lose. */
export async function serverMemory(redis: RedisConnection): Promise<ServerMemory[]> {
  return Promise.all(
    mastersOf(redis).map(async (master) => {
      const report = await master.info("memory", "persistence", "replication");
      const { host, port } = master.options;
      return {
        node: `${host}:${port}`,
        usedBytes: Number(/^used_memory:(\d+)/m.exec(report)?.[1]),
        maxBytes: Number(/^maxmemory:(\d+)/m.exec(report)?.[1]),
        evictionPolicy: /^maxmemory_policy:(\S+)/m.exec(report)?.[1] ?? "unknown",
        isAppendOnly: /^aof_enabled:1/m.test(report),
        isReplica: /^role:slave/m.test(report),
      };
    }),
  );
}
