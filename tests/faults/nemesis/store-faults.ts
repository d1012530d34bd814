import { eventually } from "@diegetic/testing/eventually";
import type { FaultyProxy, ProxyMode } from "../topology/faulty-proxy.ts";
import type { KillableStore } from "../topology/store.ts";
import type { World } from "../topology/world.ts";
import { type Fault, type FaultContext, POSSIBLE_WITHIN_MS, requireCount, sleep } from "./fault.ts";

type StoreName = "redis" | "postgres";

/** Kills, stops and suspends Redis and Postgres, and breaks their connections in every way. */
export function storeFaults(): Fault[] {
  return (["redis", "postgres"] as const).flatMap((store): Fault[] => [
    unavailable(store, "kill -9", "SIGKILL"),
    unavailable(store, "stop", "stop"),
    {
      name: `hang ${store}`,
      track: "stores",
      inject: async (context) => {
        const forMs = context.random.pick([500, 1_500, 3_000]);
        if (store === "redis") {
          await pickNode(context).hang(forMs);
          return `stopped for ${forMs} ms`;
        }
        // Each connection has its own server process: blocking the traffic suspends all of them.
        return passing(context, store, { kind: "half-open" }, forMs, "chunksHeld");
      },
    },
    {
      name: `drop replies of ${store}`,
      track: "stores",
      inject: (context) => {
        const probability = 0.01 + context.random.next() * 0.1;
        const mode: ProxyMode = { kind: "drop-replies", probability, random: context.random.fork("drops") };
        return passing(context, store, mode, context.random.integer(1_500, 3_000), "repliesDropped");
      },
    },
    {
      name: `cut connections of ${store}`,
      track: "stores",
      inject: (context) =>
        passing(context, store, { kind: "cut" }, context.random.integer(100, 1_500), "connectionsCut"),
    },
    {
      name: `slow connections of ${store}`,
      track: "stores",
      inject: (context) => {
        const random = context.random.fork("delays");
        const mode: ProxyMode = { kind: "slow", minMs: 5, maxMs: 120, random };
        return passing(context, store, mode, context.random.integer(1_500, 2_500), "chunksSlowed");
      },
    },
    {
      name: `half-open connections of ${store}`,
      track: "stores",
      inject: (context) =>
        passing(context, store, { kind: "half-open" }, context.random.integer(1_000, 3_000), "chunksHeld"),
    },
  ]);
}

function unavailable(store: StoreName, word: string, how: "SIGKILL" | "stop"): Fault {
  return {
    name: `${word} ${store}`,
    track: "stores",
    inject: async (context) => {
      const server = store === "redis" ? pickNode(context) : context.world.postgres;
      const pid = server.pid;
      await server.takeAway(how);
      await sleep(context.random.integer(0, 2_000));
      await server.bringBack();
      if (server.pid === pid) throw new Error(`${store} was not restarted`);
      return `pid ${pid} → ${server.pid}`;
    },
  };
}

function pickNode({ world, random }: FaultContext): KillableStore {
  return random.pick(world.redis.nodes);
}

function proxiesOf(world: World, store: StoreName): FaultyProxy[] {
  return store === "redis" ? world.redis.proxies : [world.postgresProxy];
}

/** Disturbs the traffic for a while, and returns how often. */
async function passing(
  { world, random }: FaultContext,
  store: StoreName,
  mode: ProxyMode,
  forMs: number,
  counted: keyof FaultyProxy["counts"],
): Promise<string> {
  const all = proxiesOf(world, store);
  // In a cluster, often only one node fails.
  const proxies = random.chance(0.5) ? all : [random.pick(all)];
  const count = () => proxies.reduce((sum, proxy) => sum + proxy.counts[counted], 0);
  const before = count();
  for (const proxy of proxies) proxy.set(mode);
  await sleep(forMs);
  // The fault lasts until it affected something.
  await eventually(() => count() > before, { timeoutMs: POSSIBLE_WITHIN_MS }).catch(() => undefined);
  const happened = count() - before;
  for (const proxy of proxies) proxy.set({ kind: "pass" });
  return requireCount(counted, happened);
}
