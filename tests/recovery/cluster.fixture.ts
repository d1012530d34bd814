import { connectRedis } from "@diegetic/hot-state";
import type { ClusterNode } from "@diegetic/testing/hash-slot-move";
import { startTestRedisCluster } from "@diegetic/testing/redis";

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
    connection: connectRedis(`redis://127.0.0.1:${port}`, { name: "node" }),
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
