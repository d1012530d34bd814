import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectRedis } from "@diegetic/hot-state";
import { rounds } from "@diegetic/testing/rounds";
import { describe, expect, it } from "@jest/globals";
import { Random } from "../random.ts";
import { type RedisTopology, startProxiedCluster, startSingleRedis } from "../topology/redis-topology.ts";
import { dump } from "./dump.ts";
import { Operations, type Persist } from "./operations.ts";

const SEED = Number(process.env.FAULTS_SEED ?? 1);
const OPERATIONS = rounds(300, 1_000);
const DROPPED = 0.06;
const MAX_ATTEMPTS = 100;
const TIMEOUT_MS = 300_000;

const persist: Persist = async (command) => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await command();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error;
    }
  }
};

/** What the operations of a seed answered, and what they left behind. */
async function run(start: (dir: string) => Promise<RedisTopology>, probability: number) {
  const dir = mkdtempSync(join(tmpdir(), "diegetic-lost-replies-"));
  const topology = await start(dir);
  const redis = connectRedis(topology.proxiedUrl, { name: "operations" });
  redis.on("error", () => undefined);
  try {
    const random = new Random(SEED);
    const operations = new Operations(redis, random.fork("operations"), persist);
    await operations.open();
    for (const proxy of topology.proxies) {
      if (probability > 0) proxy.set({ kind: "drop-replies", probability, random: random.fork("drops") });
    }
    const answers: string[] = [];
    for (let number = 0; number < OPERATIONS; number += 1) answers.push(await operations.next());
    const dropped = topology.proxies.reduce((sum, proxy) => sum + proxy.counts.repliesDropped, 0);
    const nodes = topology.nodes.map((_, index) => topology.connectNode(index, "dump"));
    const state = await dump(nodes);
    for (const node of nodes) node.disconnect();
    return { answers, state, dropped };
  } finally {
    redis.disconnect();
    await topology.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

describe("operations whose answers are lost again and again", () => {
  it.each([
    ["single Redis", startSingleRedis],
    ["Redis Cluster", startProxiedCluster],
  ])(
    "leave a %s exactly as the same operations without losses",
    async (_name, start) => {
      const calm = await run(start, 0);
      const rough = await run(start, DROPPED);
      expect(calm.dropped).toBe(0);
      expect(rough.dropped).toBeGreaterThan(OPERATIONS * DROPPED * 0.5);
      expect(rough.answers).toEqual(calm.answers);
      expect(calm.state.length).toBeGreaterThan(OPERATIONS / 2);
      expect(rough.state).toEqual(calm.state);
    },
    TIMEOUT_MS,
  );
});
