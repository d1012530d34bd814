import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startRedis } from "@diegetic/local-stores";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { type RunningCluster, startRedisCluster } from "@diegetic/testing/redis-cluster";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { type Served, Town } from "./town.fixture.ts";

const PATIENCE = { timeoutMs: 60_000 };
/** Of one test, and of all. */
const closers: (() => Promise<unknown>)[] = [];
const lastClosers: (() => Promise<unknown>)[] = [];

/** Started before they are needed: the first change on a new server waits for leases of before. */
let restartable: Awaited<ReturnType<typeof restartableRedis>>[];
let cluster: RunningCluster;
let clusterDir: string;

beforeAll(async () => {
  clusterDir = await temporaryDirectory();
  [cluster, ...restartable] = await Promise.all([
    startRedisCluster({ dir: clusterDir, nodes: 3 }),
    restartableRedis(),
    restartableRedis(),
  ]);
  lastClosers.push(() => cluster.stop());
});
afterEach(() => closeAll(closers));
afterAll(() => closeAll(lastClosers));

async function closeAll(some: typeof closers): Promise<void> {
  for (const close of some.splice(0).reverse()) await close();
}

async function temporaryDirectory(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "diegetic-recovery-"));
  lastClosers.push(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

async function startRedisToLose(): Promise<string> {
  const server = await startTestRedis();
  closers.push(() => server.stop());
  return server.url;
}

function takeRestartable() {
  const server = restartable.shift();
  if (server === undefined) throw new Error("too few servers were started");
  return server;
}

async function openTown(redisUrl: string, budgetCents: number): Promise<Town> {
  const town = await Town.open(redisUrl, { depositCents: 2 * budgetCents, budgetCents });
  closers.push(() => town.close());
  return town;
}

/** A Redis with an append-only file that can be stopped, changed on disk, and started again in its place. */
async function restartableRedis() {
  const dir = await temporaryDirectory();
  let server = await startRedis({ dir, appendonly: true });
  const { port, url } = server;
  lastClosers.push(() => server.stop());
  return {
    url,
    dir,
    stop: () => server.stop(),
    start: async () => {
      server = await startRedis({ dir, port, appendonly: true });
    },
  };
}

/** Plays until the budget is spent; answers how many impressions that took. */
async function spendAll(town: Town): Promise<number> {
  let answered = 0;
  for (let tries = 0; tries < 100; tries++) {
    const { status, body } = await town.match();
    if (status === 204) return answered;
    if (status !== 200) throw new Error(`match: ${status}`);
    if ((await town.impression(body as Served)).status === 201) answered += 1;
  }
  throw new Error("the budget is never spent");
}

describe("a flushed Redis", () => {
  it("gets the impressions that billing was just writing, and spends the budget once", async () => {
    const town = await openTown(await startRedisToLose(), 12);
    await town.play(2);
    await town.agree(2);

    const { database } = town.management;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const locked = database.$transaction(
      async (transaction) => {
        await transaction.$queryRaw`SELECT FROM advertisers WHERE id = ${town.advertiserId} FOR UPDATE`;
        await released;
      },
      { timeout: 120_000 },
    );
    const seen = await town.play(3);
    await eventually(async () => {
      const [row] = await database.$queryRaw<{ waiting: bigint }[]>`
        SELECT count(*) AS waiting FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return Number(row?.waiting) > 0;
    }, PATIENCE);
    await town.redis.flushall();
    release();
    await locked;

    await eventually(async () => (await town.written()) > 2, PATIENCE);
    await town.agree();
    // Their matches are gone with the wallet: never charged again.
    await town.served();
    for (const match of seen) expect(await town.statusOf(match)).toBe(409);
    await spendAll(town);
    expect(await town.agree()).toBeLessThanOrEqual(12);
  });
});

describe("a Redis that has lost an Idempotency-Key", () => {
  it("lets the impression be sent again, and it is billed once", async () => {
    const town = await openTown(await startRedisToLose(), 12);
    const match = await town.served();
    const first = await town.keyedImpression(match, "scene 7");
    expect(first.status).toBe(201);
    await town.agree(1);

    await town.redis.flushall();
    await town.served();
    const again = await town.keyedImpression(match, "scene 7");
    expect(again.status).toBe(201);
    const { database } = town.management;
    await eventually(async () => (await database.quarantinedImpression.count()) === 1, PATIENCE);
    await town.agree(1);
  });
});

describe("a Redis that comes back with an older file", () => {
  it("serves nothing before it agrees with Postgres, and bills nothing twice", async () => {
    const redis = takeRestartable();
    const town = await openTown(redis.url, 10);
    await town.play(2);
    await town.agree(2);
    const open = await town.served();
    await cp(redis.dir, `${redis.dir}-copy`, { recursive: true });
    closers.push(() => rm(`${redis.dir}-copy`, { recursive: true, force: true }));
    expect((await town.impression(open)).status).toBe(201);
    await town.play(3);
    await town.agree(6);

    await redis.stop();
    await rm(join(redis.dir, "appendonlydir"), { recursive: true });
    await cp(join(`${redis.dir}-copy`, "appendonlydir"), join(redis.dir, "appendonlydir"), {
      recursive: true,
    });
    const { database } = town.management;
    await database.$transaction(
      async (transaction) => {
        // Without the advertiser's row nobody can bring the wallet to where Postgres is.
        await transaction.$queryRaw`SELECT FROM advertisers FOR UPDATE`;
        await redis.start();
        const served: number[] = [];
        await eventually(async () => {
          const { status } = await town.matchAtOnce();
          if (status !== 204 && status !== 503) served.push(status);
          return status === 503;
        }, PATIENCE);
        expect(served).toEqual([]);
      },
      { timeout: 120_000 },
    );

    const refused = new Set<number>();
    for (let tries = 0; ; tries++) {
      if (tries > 20_000) throw new Error(`never served again: ${[...refused]}`);
      const again = await town.impressionAtOnce(open);
      const { status } = await town.matchAtOnce();
      const totals = await town.totals();
      // Billed already, and open again in the old file: it must not be billed a second time.
      expect([409, 503]).toContain(again.status);
      if (status === 200) {
        expect(totals[0]).toEqual({ spent: 6_000, impressions: 6 });
        break;
      }
      // A wallet that is frozen while it is counted anew is no candidate: then there is no match.
      expect([204, 503]).toContain(status);
      refused.add(status);
    }
    await spendAll(town);
    await town.agree(9); // One of ten is held by the match that was served above.
  });

  it("keeps the open matches when it has forgotten nothing", async () => {
    const redis = takeRestartable();
    const town = await openTown(redis.url, 10);
    await town.play(2);
    await town.agree(2);
    const open = await town.served();
    await redis.stop();
    await redis.start();
    await eventually(async () => (await town.impression(open)).status === 201, PATIENCE);
    expect((await town.impression(open)).status).toBe(201);
    await town.agree(3);
  });
});

describe("one master of a cluster that comes back empty", () => {
  it("gets its wallets back", async () => {
    const town = await openTown(cluster.url, 10);
    const seen = await town.play(3);
    await town.agree(3);

    const wallet = await town.redis.cluster("KEYSLOT", `{${town.advertiserId}}:account`);
    for (const [index, node] of cluster.nodes.entries()) {
      const client = connectTestRedis(node.url);
      const own = String(await client.call("CLUSTER", "NODES"))
        .split("\n")
        .find((line) => line.includes("myself"));
      client.disconnect();
      const range = /(\d+)-(\d+)\s*$/.exec(own ?? "");
      if (wallet < Number(range?.[1]) || wallet > Number(range?.[2])) continue;
      const busPort = /@(\d+)/.exec(own ?? "")?.[1] ?? "";
      await node.stop();
      const again = await startRedis({
        dir: join(clusterDir, `node-${index + 1}`),
        port: node.port,
        flags: ["--cluster-enabled", "yes", "--cluster-node-timeout", "5000", "--cluster-port", busPort],
      });
      closers.push(() => again.stop());
    }
    await town.served();
    for (const match of seen) expect(await town.statusOf(match)).toBe(409);
    await spendAll(town);
    await town.agree(9);
  });
});
