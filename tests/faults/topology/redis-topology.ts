import { join } from "node:path";
import { connectRedis, type RedisConnection } from "@diegetic/hot-state";
import { eventually } from "@diegetic/testing/eventually";
import { freePort } from "@diegetic/testing/free-port";
import { FaultyProxy } from "./faulty-proxy.ts";
import { type KillableStore, startKillableRedis } from "./store.ts";

const SLOTS = 16_384;
const NODES = 3;

/** The Redis of a run: its servers, the proxies that the services use, and direct connections. */
export interface RedisTopology {
  kind: "single" | "cluster";
  nodes: KillableStore[];
  proxies: FaultyProxy[];
  /** The services' address. */
  proxiedUrl: string;
  /** Connects directly; in a cluster through the proxies, because the nodes announce the proxies' ports. */
  connect(name: string): RedisConnection;
  /** A connection to one node alone. */
  connectNode(index: number, name: string): RedisConnection;
  stop(): Promise<void>;
}

export async function startSingleRedis(dir: string): Promise<RedisTopology> {
  const node = await startKillableRedis(join(dir, "redis"));
  const proxy = await FaultyProxy.start(() => node.port);
  return {
    kind: "single",
    nodes: [node],
    proxies: [proxy],
    proxiedUrl: `redis://127.0.0.1:${proxy.port}`,
    connect: (name) => quietly(connectRedis(node.url, { name })),
    connectNode: (_index, name) => quietly(connectRedis(node.url, { name })),
    stop: async () => {
      await proxy.stop();
      await node.stop();
    },
  };
}

/** Three masters that announce the proxies' ports, so that clients that follow MOVED stay behind a proxy. */
export async function startProxiedCluster(dir: string): Promise<RedisTopology> {
  const nodes: KillableStore[] = [];
  const proxies: FaultyProxy[] = [];
  const busPorts: number[] = [];
  for (let index = 0; index < NODES; index += 1) {
    const busPort = await freePort();
    const proxy = await FaultyProxy.start(() => nodes[index]?.port ?? 1);
    const flags = ["--cluster-enabled", "yes", "--cluster-node-timeout", "5000"];
    flags.push("--cluster-port", String(busPort), "--cluster-announce-port", String(proxy.port));
    flags.push("--cluster-announce-bus-port", String(busPort));
    nodes.push(await startKillableRedis(join(dir, `redis-${index + 1}`), `redis-${index + 1}`, flags));
    proxies.push(proxy);
    busPorts.push(busPort);
  }
  const nodeConnection = (index: number, name: string) =>
    quietly(connectRedis(nodes[index]?.url ?? "", { name }));
  await joinNodes(nodeConnection, nodes, busPorts);
  const proxiedUrl = `redis-cluster://${proxies.map(({ port }) => `127.0.0.1:${port}`).join(",")}`;
  return {
    kind: "cluster",
    nodes,
    proxies,
    proxiedUrl,
    connect: (name) => quietly(connectRedis(proxiedUrl, { name })),
    connectNode: nodeConnection,
    stop: async () => {
      await Promise.all(proxies.map((proxy) => proxy.stop()));
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
}

async function joinNodes(
  connect: (index: number, name: string) => RedisConnection,
  nodes: KillableStore[],
  busPorts: number[],
): Promise<void> {
  const connections = nodes.map((_, index) => connect(index, "join"));
  const [first] = connections;
  if (first === undefined) return;
  await Promise.all(connections.map((connection) => eventually(() => connection.ping())));
  for (const [index, connection] of connections.entries()) {
    const from = Math.floor((SLOTS * index) / NODES);
    const to = Math.floor((SLOTS * (index + 1)) / NODES) - 1;
    await connection.call("CLUSTER", "SET-CONFIG-EPOCH", String(index + 1));
    await connection.call("CLUSTER", "ADDSLOTSRANGE", String(from), String(to));
    const meeting = ["MEET", "127.0.0.1", String(nodes[index]?.port), String(busPorts[index])];
    if (index > 0) await first.call("CLUSTER", ...meeting);
  }
  const isWhole = async (connection: RedisConnection) => {
    const info = String(await connection.call("CLUSTER", "INFO"));
    return info.includes("cluster_state:ok") && info.includes(`cluster_known_nodes:${NODES}`);
  };
  await eventually(async () => (await Promise.all(connections.map(isWhole))).every(Boolean), {
    timeoutMs: 30_000,
    everyMs: 100,
  });
  for (const connection of connections) connection.disconnect();
}

function quietly(connection: RedisConnection): RedisConnection {
  connection.on("error", () => undefined);
  return connection;
}
