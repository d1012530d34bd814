import type { ClusterNode } from "@diegetic/testing/hash-slot-move";
import { startTestRedisCluster } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";

export interface TestCluster {
  url: string;
  /** Each with a connection of its own. */
  nodes: ClusterNode[];
  close(): Promise<void>;
}

/** A Redis Cluster of three masters. */
export async function startCluster(): Promise<TestCluster> {
  const { url, stop } = await startTestRedisCluster();
  const ports = url.split(",").map((address) => Number(address.slice(address.lastIndexOf(":") + 1)));
  const nodes = ports.map((port) => ({
    connection: connectTestRedis(`redis://127.0.0.1:${port}`),
    port,
  }));
  return {
    url,
    nodes,
    async close() {
      for (const { connection } of nodes) connection.disconnect();
      await stop();
    },
  };
}
