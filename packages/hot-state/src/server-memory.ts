import type { RedisConnection } from "./connection.ts";
import { mastersOf } from "./masters.ts";

export interface ServerMemory {
  /** `host:port` as this process reaches it. */
  node: string;
  usedBytes: number;
  /** 0: no limit. */
  maxBytes: number;
}

/** Memory of each server that accepts writes. */
export async function serverMemory(redis: RedisConnection): Promise<ServerMemory[]> {
  return Promise.all(
    mastersOf(redis).map(async (master) => {
      const report = await master.info("memory");
      const usedBytes = Number(/^used_memory:(\d+)/m.exec(report)?.[1]);
      const maxBytes = Number(/^maxmemory:(\d+)/m.exec(report)?.[1]);
      const { host, port } = master.options;
      return { node: `${host}:${port}`, usedBytes, maxBytes };
    }),
  );
}

/**
 * Eviction policies other than `noeviction` of the servers behind a connection: such a server drops money and caps when
 * its memory is full. Empty: none.
 */
export async function evictionPolicies(redis: RedisConnection): Promise<string[]> {
  const reports = await Promise.all(mastersOf(redis).map((master) => master.info("memory")));
  const policies = reports.map((report) => /^maxmemory_policy:(\S+)/m.exec(report)?.[1] ?? "unknown");
  return [...new Set(policies)].filter((policy) => policy !== "noeviction");
}
