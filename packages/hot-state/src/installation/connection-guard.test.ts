import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis, startTestRedisCluster, type TestRedis } from "@diegetic/testing/redis";
import { type StallingProxy, startStallingProxy } from "@diegetic/testing/stalling-proxy";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import calculateSlot from "cluster-key-slot";
import { connectRedis, type RedisConnection, readClusterAddress } from "../connection.ts";
import { installationKeys } from "../keys.ts";
import { ForeignRedis } from "./foreign-redis.ts";
import { InstallationClaim } from "./installation-claim.ts";

/** Not on the node of the claim, where there are several. */
const KEY = "{advertiser}:account";
const HASH_SLOTS = 16_384;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function connect(url: string): RedisConnection {
  const redis = connectRedis(url, { name: "test" });
  closers.push(() => redis.disconnect());
  return redis;
}

/** Two installations. */
interface Installations {
  own: RedisConnection;
  foreign: RedisConnection;
  /** To the own Redis, through the proxies. */
  url: string;
  proxies: StallingProxy[];
  /** Of this key's node. */
  proxyOf(key: string): StallingProxy;
  /** Where further connections of proxies lead. */
  lead(to: "own" | "foreign", proxies?: StallingProxy[]): void;
  /** Empties both, and gives the foreign one its owner. */
  empty(): Promise<void>;
  stop(): Promise<void>;
}

async function start(startServer: () => Promise<TestRedis>): Promise<Installations> {
  const servers = await Promise.all([startServer(), startServer()]);
  const [ownServer, foreignServer] = servers;
  const ports = { own: portsOf(ownServer), foreign: portsOf(foreignServer) };
  const isCluster = readClusterAddress(ownServer.url) !== undefined;
  const [own, foreign] = servers.map(({ url }) => connectRedis(url, { name: "test" })) as [
    RedisConnection,
    RedisConnection,
  ];
  // Before the nodes send clients to their proxies.
  await own.ping();
  const targets = new Map<StallingProxy, number>();
  const proxies = await Promise.all(
    ports.own.map(async (port) => {
      const proxy: StallingProxy = await startStallingProxy(() => targets.get(proxy) ?? port);
      return proxy;
    }),
  );
  if (isCluster) await announce(ports.own, proxies);
  const addresses = proxies.map(({ port }) => `127.0.0.1:${port}`).join(",");
  return {
    own,
    foreign,
    url: isCluster ? `redis-cluster://${addresses}` : `redis://${addresses}`,
    proxies,
    proxyOf: (key) => {
      const proxy = proxies[Math.floor((calculateSlot(key) * proxies.length) / HASH_SLOTS)];
      if (proxy === undefined) throw new Error(`no node has ${key}`);
      return proxy;
    },
    lead: (to, some = proxies) => {
      for (const proxy of some) targets.set(proxy, ports[to][proxies.indexOf(proxy)] ?? 0);
    },
    async empty() {
      for (const port of Object.values(ports).flat()) {
        const node = connectRedis(`redis://127.0.0.1:${port}`, { name: "test" });
        await node.flushall().finally(() => node.disconnect());
      }
      await foreign.set(installationKeys.owner, "inst_other");
      for (const proxy of proxies) targets.delete(proxy);
    },
    async stop() {
      for (const redis of [own, foreign]) redis.disconnect();
      await Promise.all([...proxies, ...servers].map((one) => one.stop()));
    },
  };
}

function portsOf({ url }: TestRedis): number[] {
  return readClusterAddress(url)?.nodes.map(({ port }) => port) ?? [Number(new URL(url).port)];
}

/** Makes the nodes of a cluster send clients to their proxies. */
async function announce(ports: readonly number[], proxies: readonly StallingProxy[]): Promise<void> {
  const nodes = ports.map((port) => connectRedis(`redis://127.0.0.1:${port}`, { name: "test" }));
  for (const [index, node] of nodes.entries()) {
    await node.config("SET", "cluster-announce-port", String(proxies[index]?.port));
  }
  const isKnown = async (node: RedisConnection) => {
    const slots = JSON.stringify(await node.cluster("SLOTS"));
    return proxies.every(({ port }) => slots.includes(`"127.0.0.1",${port},`));
  };
  await eventually(async () => (await Promise.all(nodes.map(isKnown))).every(Boolean), { timeoutMs: 60_000 });
  for (const node of nodes) node.disconnect();
}

const kinds: [string, () => Promise<TestRedis>][] = [
  ["Redis", () => startTestRedis()],
  ["Redis Cluster", () => startTestRedisCluster()],
];

describe.each(kinds)(
  "commands after a checked claim, when the address leads to another's %s",
  (kind, startServer) => {
    let installations: Installations;
    beforeAll(async () => {
      installations = await start(startServer);
    });
    afterAll(() => installations.stop());
    beforeEach(() => installations.empty());

    const outcomeOf = (command: Promise<unknown>) => command.catch((error: unknown) => error);

    it("are not sent again there", async () => {
      const { url, own, foreign, proxies, lead } = installations;
      const redis = connect(url);
      await redis.set(KEY, "before");
      await new InstallationClaim(redis, async () => "inst_1").check();
      for (const proxy of proxies) proxy.stall();
      const outcome = outcomeOf(redis.set(KEY, "sent again"));
      lead("foreign");
      for (const proxy of proxies) {
        proxy.breakConnections();
        proxy.resume();
      }
      expect(await outcome).toBeInstanceOf(ForeignRedis);
      expect(await foreign.get(KEY)).toBeNull();
      expect(await own.get(KEY)).toBe("before");
    });

    it("do not wait for a connection there", async () => {
      const { url, foreign, proxies, proxyOf, lead } = installations;
      const redis = connect(url);
      await redis.set(KEY, "before");
      await new InstallationClaim(redis, async () => "inst_1").check();
      lead("foreign");
      // `once` of node:events would reject by the error of the broken connection.
      const isClosed = new Promise((resolve) => redis.once(kind === "Redis" ? "close" : "-node", resolve));
      for (const proxy of kind === "Redis" ? proxies : [proxyOf(KEY)]) proxy.breakConnections();
      await isClosed;
      expect(await outcomeOf(redis.set(KEY, "waited"))).toBeInstanceOf(ForeignRedis);
      expect(await foreign.get(KEY)).toBeNull();
    });

    it("are refused there although no connection was lost while they were sent", async () => {
      const { url, foreign, proxies, lead } = installations;
      const redis = connect(url);
      const claim = new InstallationClaim(redis, async () => "inst_1");
      await claim.check();
      lead("foreign");
      for (const proxy of proxies) proxy.breakConnections();
      await eventually(async () => (await outcomeOf(redis.ping())) instanceof ForeignRedis);
      await expect(claim.check()).rejects.toThrow(ForeignRedis);
      expect(await outcomeOf(redis.set(KEY, "new"))).toBeInstanceOf(ForeignRedis);
      expect(await foreign.get(KEY)).toBeNull();
    });

    it("work again once it belongs to nobody", async () => {
      const { url, foreign, proxies, lead } = installations;
      const redis = connect(url);
      const claim = new InstallationClaim(redis, async () => "inst_1");
      await claim.check();
      lead("foreign");
      for (const proxy of proxies) proxy.breakConnections();
      await eventually(async () => (await outcomeOf(redis.set(KEY, "early"))) instanceof ForeignRedis);
      await foreign.del(installationKeys.owner);
      await claim.check();
      await eventually(async () => (await outcomeOf(redis.set(KEY, "later"))) === "OK");
      expect(await foreign.get(KEY)).toBe("later");
      expect(await foreign.get(installationKeys.owner)).toBe("inst_1");
    });

    it.each([
      ["", false],
      [", and connections are lost", true],
    ])("work again once it leads to their own%s", async (_also, areLost) => {
      const { url, own, foreign, proxies, lead } = installations;
      const redis = connect(url);
      const claim = new InstallationClaim(redis, async () => "inst_1");
      await claim.check();
      lead("foreign");
      for (const proxy of proxies) proxy.breakConnections();
      await eventually(async () => (await outcomeOf(redis.set(KEY, "early"))) instanceof ForeignRedis);
      lead("own");
      if (areLost) for (const proxy of proxies) proxy.breakConnections();
      await eventually(async () => (await outcomeOf(claim.check())) === undefined);
      await eventually(async () => (await outcomeOf(redis.set(KEY, "later"))) === "OK");
      expect(await own.get(KEY)).toBe("later");
      expect(await foreign.get(KEY)).toBeNull();
    });

    it("work again on a client whose connection alone was refused, however often the claim is checked", async () => {
      const { url, own, proxies, lead } = installations;
      const claim = new InstallationClaim(own, async () => "inst_1");
      await claim.check();
      const redis = connect(url);
      claim.guard(redis);
      lead("foreign");
      for (const proxy of proxies) proxy.breakConnections();
      await eventually(async () => (await outcomeOf(redis.set(KEY, "early"))) instanceof ForeignRedis);
      lead("own");
      let outcome: unknown;
      const sent = async () => {
        outcome = await outcomeOf(redis.set(KEY, "later"));
        return outcome === "OK";
      };
      const work = eventually(sent);
      while (outcome !== "OK") await Promise.race([claim.check(), work]);
      expect(await own.get(KEY)).toBe("later");
    });

    if (kind === "Redis Cluster") {
      it("are refused by a single node that is another cluster's", async () => {
        const { url, own, foreign, proxyOf, lead } = installations;
        expect(proxyOf(KEY)).not.toBe(proxyOf(installationKeys.owner));
        const redis = connect(url);
        await redis.set(KEY, "before");
        await new InstallationClaim(redis, async () => "inst_1").check();
        lead("foreign", [proxyOf(KEY)]);
        proxyOf(KEY).breakConnections();
        expect(await outcomeOf(redis.set(KEY, "new"))).toBeInstanceOf(ForeignRedis);
        expect(await foreign.get(KEY)).toBeNull();
        expect(await own.get(KEY)).toBe("before");
      });
    }
  },
);
