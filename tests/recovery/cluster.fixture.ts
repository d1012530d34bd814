import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectRedis } from "@diegetic/hot-state";
import { startRedisCluster } from "@diegetic/local-stores";
import type { ClusterNode } from "@diegetic/testing/hash-slot-move";

export interface TestCluster {
  url: string;
  /** Each with a connection of its own. */
  nodes: ClusterNode[];
  close(): Promise<void>;
}

/** A Redis Cluster of three masters. */
export async function startCluster(): Promise<TestCluster> {
  const dir = await mkdtemp(join(tmpdir(), "diegetic-cluster-"));
  const cluster = await startRedisCluster({ dir, nodes: 3 });
  const nodes = cluster.nodes.map(({ port }) => ({
    connection: connectRedis(`redis://127.0.0.1:${port}`, { name: "node" }),
    port,
  }));
  return {
    url: cluster.url,
    nodes,
    async close() {
      for (const { connection } of nodes) connection.disconnect();
      await cluster.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
