import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { reconcileAll } from "@diegetic/billing";
import { ForeignRedis, type RedisConnection } from "@diegetic/hot-state";
import { checkReadiness } from "@diegetic/service-kit";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterEach, expect, it } from "@jest/globals";
import { FaultyProxy } from "../faults/topology/faulty-proxy.ts";
import { createDatabaseSession } from "../reconciliation/database-session.ts";
import { Town, type TownOptions } from "./town.fixture.ts";

const OWNER = "{snapshot}:installation";
const PLAN = { depositCents: 1_000, budgetCents: 500 };
const PATIENCE = { timeoutMs: 60_000 };
/** Looks at a Redis that is another's, each of which would have been enough for a pass of billing or a round of management. */
const LOOKS = 40;
/** The product's limit is 10 s of a monotonic clock; the times of lines are of the wall clock. */
const MIN_LOG_INTERVAL_MS = 9_500;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startRedis(): Promise<TestRedis> {
  const server = await startTestRedis();
  closers.push(() => server.stop());
  return server;
}

async function openTown(redisUrl: string, options?: TownOptions): Promise<Town> {
  const town = await Town.open(redisUrl, PLAN, options);
  closers.push(() => town.close());
  return town;
}

async function createDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  closers.push(() => database.drop());
  return database;
}

/** A process of the product, until it ends. */
function run(file: string, stores: { databaseUrl: string; redisUrl: string }, conditions: string[] = []) {
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: stores.databaseUrl,
    REDIS_URL: stores.redisUrl,
    PLAYER_HASH_KEY: "a key of more than thirty-two characters",
    AUTH_SECRET: "a secret of more than thirty-two characters",
    LOG_LEVEL: "silent",
  };
  const main = fileURLToPath(new URL(`../../${file}`, import.meta.url));
  return new Promise<{ code: unknown; output: string }>((resolve) => {
    execFile(process.execPath, [...conditions, main], { env, timeout: 200_000 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });
}

const SOURCES = ["--conditions=@diegetic/source"];

/** Everything that a passing glance at a Redis could have changed; what comes and goes by itself, and statistics, is left out. */
async function contents(redis: RedisConnection): Promise<unknown> {
  const keys = await redis.keys("*");
  const lasting = keys
    .filter((key) => !/^\{(rate|billing|webhooks|due|key-use|traffic(-errors)?|processes)|:leases$/.test(key))
    .sort();
  return Promise.all(lasting.map(async (key) => [key, await redis.call("DUMP", key)]));
}

/** At most one line in ten seconds from each part of a service. */
function expectLimitedRate(lines: string[]): void {
  const lastMs = new Map<string, number>();
  for (const line of lines) {
    const { time, service, part, task, answer, final, msg } = JSON.parse(line);
    const kind = JSON.stringify({ service, part, task, answer, final, msg });
    const isInLimit = time - (lastMs.get(kind) ?? Number.NEGATIVE_INFINITY) > MIN_LOG_INTERVAL_MS;
    expect({ kind, isInLimit }).toEqual({ kind, isInLimit: true });
    lastMs.set(kind, time);
  }
}

it("a second installation is refused by a Redis in use, and leaves it as it is", async () => {
  const server = await startRedis();
  const town = await openTown(server.url);
  await town.play(3);
  await town.agree(3);
  const before = await contents(town.redis);

  const stranger = { databaseUrl: (await createDatabase()).url, redisUrl: server.url };
  const [management, billing, audit] = await Promise.all([
    run("services/management/src/main.ts", stranger, SOURCES),
    run("services/billing/src/main.ts", stranger, SOURCES),
    run("scripts/audit.mjs", stranger),
  ]);
  const sentence = /The Redis at REDIS_URL belongs to another installation .* DATABASE_URL .*\.\n$/;
  for (const [{ code, output }, expected] of [
    [management, 1],
    [billing, 1],
    [audit, 2],
  ] as const) {
    expect(output).toMatch(sentence);
    expect(output.split("\n")).toHaveLength(2);
    expect(code).toBe(expected);
  }
  await expect(reconcileAll({ ...stranger, quietWithinMs: 0 })).rejects.toThrow(ForeignRedis);

  expect(await contents(town.redis)).toEqual(before);
  await town.play(2);
  await town.agree(5);
});

it("a database without an installation id is not used", async () => {
  const server = await startRedis();
  const database = await createDatabase();
  const session = await createDatabaseSession(database.url);
  await session.run("TRUNCATE installation").finally(() => session.close());

  const stores = { databaseUrl: database.url, redisUrl: server.url };
  const [management, audit] = await Promise.all([
    run("services/management/src/main.ts", stores, SOURCES),
    run("scripts/audit.mjs", stores),
  ]);
  for (const [{ code, output }, expected] of [
    [management, 1],
    [audit, 2],
  ] as const) {
    expect(output).toMatch(/The database at DATABASE_URL does not say which installation it is, .*\.\n$/);
    expect(output.split("\n")).toHaveLength(2);
    expect(code).toBe(expected);
  }
});

it("an installation whose Redis becomes another one's stands still until it has its own again", async () => {
  const [own, foreign] = [await startRedis(), await startRedis()];
  let target = Number(new URL(own.url).port);
  const proxy = await FaultyProxy.start(() => target);
  closers.push(() => proxy.stop());
  const lines: string[] = [];
  const town = await openTown(own.url, {
    servicesRedisUrl: `redis://127.0.0.1:${proxy.port}`,
    logTo: { write: (line) => void lines.push(line) },
  });
  await town.play(2);
  await town.agree(2);
  const other = await openTown(foreign.url);
  await other.stopBilling();
  const charged = await other.play(3);
  const snapshotBefore = await other.redis.get("{snapshot}:version");
  lines.length = 0;

  target = Number(new URL(foreign.url).port);
  proxy.breakConnections();
  const { readiness } = town.management;
  const isRefused = async (checks: typeof readiness) =>
    /^The Redis at REDIS_URL belongs/.test((await checkReadiness(checks)).checks.installation ?? "");
  const standsStill = async (checks: typeof readiness) => {
    let looks = 0;
    await eventually(async () => (await isRefused(checks)) && ++looks > LOOKS, { ...PATIENCE, everyMs: 50 });
  };
  await Promise.all([readiness, town.billing.readiness].map(standsStill));
  expect((await town.rename("Spring")).status).toBe(503);
  expect(await other.redis.get("{snapshot}:version")).toBe(snapshotBefore);
  expect(await other.redis.hlen(`{${other.advertiserId}}:outbox`)).toBe(charged.length);
  expect(await other.redis.exists(`{${town.advertiserId}}:account`)).toBe(0);
  expect(await town.management.database.quarantinedImpression.count()).toBe(0);
  const logged = lines.filter((line) => line.includes("belongs to another installation"));
  const notices = logged.map((line) => JSON.parse(line)).filter(({ notice }) => notice === "foreign");
  expect(new Set(notices.map(({ service }) => service))).toEqual(new Set(["management", "recovery"]));
  expectLimitedRate(logged);
  expect(logged.filter((line) => line.includes('"stack"'))).toEqual([]);

  target = Number(new URL(own.url).port);
  proxy.breakConnections();
  await eventually(async () => (await town.rename("Spring")).status === 200, PATIENCE);
  await town.play(2);
  await town.agree(4);
  expect(await other.management.database.impression.count()).toBe(0);
});

it("a Redis that has lost its data is claimed again by who has it in use", async () => {
  const server = await startRedis();
  const town = await openTown(server.url);
  const owner = await town.redis.get(OWNER);
  const { id } = await town.management.database.installation.findFirstOrThrow();
  expect(owner).toBe(id);
  await town.redis.flushall();
  await eventually(async () => (await town.redis.get(OWNER)) === owner, PATIENCE);
  await town.play(2);
  await town.agree(2);
});
