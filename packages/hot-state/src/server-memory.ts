import { Cluster } from "ioredis";
import type { RedisConnection } from "./connection.ts";

export interface ServerMemory {
  /** `host:port` as this process reaches it. */
  node: string;
  usedBytes: number;
  /** 0: no limit. */
  maxBytes: number;
}

/** Memory of each server that accepts writes. */
export async function serverMemory(redis: RedisConnection): Promise<ServerMemory[]> {
  const nodes = redis instanceof Cluster ? redis.nodes("master") : [redis];
  return Promise.all(
    nodes.map(async (node) => {
      const report = await node.info("memory");
      const usedBytes = Number(/^used_memory:(\d+)/m.exec(report)?.[1]);
      const maxBytes = Number(/^maxmemory:(\d+)/m.exec(report)?.[1]);
      const { host, port } = node.options;
      return { node: `${host}:${port}`, usedBytes, maxBytes };
    }),
  );
}
