import { join } from "node:path";
import { type RunningStore, redisCommand, SetupError, startRedis, waitUntil } from "@diegetic/local-stores";

const SLOTS = 16_384;
const JOIN_TIMEOUT_MS = 30_000;

export interface RedisClusterOptions {
  /** Each node gets a subdirectory. */
  dir: string;
  /** Masters, at least 3; there are no replicas. */
  nodes?: number;
}

export interface RunningCluster {
  /** `redis-cluster://h1:p1,h2:p2,…` */
  url: string;
  nodes: RunningStore[];
  stop(): Promise<void>;
}

/** Starts a Redis Cluster on 127.0.0.1, without persistence. Every hash slot is served when this returns. */
export async function startRedisCluster(options: RedisClusterOptions): Promise<RunningCluster> {
  const count = options.nodes ?? 3;
  const nodes: RunningStore[] = [];
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
  };
  try {
    for (let index = 0; index < count; index += 1) {
      nodes.push(await startRedis({ dir: join(options.dir, `node-${index + 1}`), clusterNode: true }));
    }
    await joinNodes(nodes);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `redis-cluster://${nodes.map((node) => `127.0.0.1:${node.port}`).join(",")}`, nodes, stop };
}

async function joinNodes(nodes: RunningStore[]): Promise<void> {
  const first = nodes[0];
  if (first === undefined) return;
  for (const [index, node] of nodes.entries()) {
    const from = Math.floor((SLOTS * index) / nodes.length);
    const to = Math.floor((SLOTS * (index + 1)) / nodes.length) - 1;
    await expectOk(node.port, `CLUSTER SET-CONFIG-EPOCH ${index + 1}`);
    await expectOk(node.port, `CLUSTER ADDSLOTSRANGE ${from} ${to}`);
    if (index > 0) await expectOk(first.port, `CLUSTER MEET 127.0.0.1 ${node.port} ${node.busPort}`);
  }
  const isComplete = async (node: RunningStore) => {
    const info = await redisCommand(node.port, "CLUSTER INFO");
    return info.includes("cluster_state:ok") && info.includes(`cluster_known_nodes:${nodes.length}`);
  };
  const joined = await waitUntil(
    async () => (await Promise.all(nodes.map(isComplete))).every(Boolean),
    JOIN_TIMEOUT_MS,
  );
  if (!joined) throw new SetupError("The nodes of the Redis Cluster did not find each other.");
}

async function expectOk(port: number, command: string): Promise<void> {
  const reply = await redisCommand(port, command);
  if (!reply.startsWith("+OK")) throw new SetupError(`Redis refused ${command}: ${reply.trim()}`);
}
