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
