import { createDatabase, inTransaction } from "@diegetic/database";
import { connectRedis, DueIndex } from "@diegetic/hot-state";
import { createMetrics } from "@diegetic/service-kit";
import { createTestDatabase } from "@diegetic/testing/database";
import { startTestRedis } from "@diegetic/testing/redis";
import { expect, it } from "@jest/globals";
import { StoreMonitor } from "./store-monitor.ts";

it("reports the stores, and which of them is unavailable", async () => {
  const [testDatabase, server] = await Promise.all([createTestDatabase(), startTestRedis({})]);
  const database = createDatabase(testDatabase.url, { poolSize: 1, applicationName: "test" });
  const redis = connectRedis(server.url, { name: "test" });
  const due = new DueIndex(redis);
  const metrics = createMetrics({ service: "billing" });
  const nowMs = Date.now();
  const monitor = new StoreMonitor({ database, redis, due, metrics, nowMs: () => nowMs });
  const read = async (name: string, labels = "") => {
    const { text } = await metrics.exposition();
    const found = new RegExp(`^${name}\\{${labels}[^}]*\\} (\\S+)$`, "m").exec(text);
    return found === null ? undefined : Number(found[1]);
  };

  await redis.config("SET", "maxmemory", "64mb");
  await due.register("holds", "adv_late", nowMs - 90_000);
  await database.quarantinedImpression.createMany({
    data: [null, new Date()].map((resolvedAt, index) => ({
      impressionId: `imp_${index}`,
      advertiserId: "adv_late",
      reason: "test",
      record: "{}",
      resolvedAt,
    })),
  });
  await monitor.checkAvailability();
  await monitor.measurePostgres();
  expect(await read("store_available", 'store="redis"')).toBe(1);
  expect(await read("store_available", 'store="postgres"')).toBe(1);
  expect(await read("redis_memory_used_bytes")).toBeGreaterThan(0);
  expect(await read("redis_memory_max_bytes")).toBe(64 * 1_048_576);
  expect(await read("postgres_database_size_bytes")).toBeGreaterThan(1_000_000);
  expect(await read("billing_quarantined_records")).toBe(1);
  expect(await read("billing_holds_oldest_expired_seconds")).toBe(90);

  await server.stop();
  await monitor.checkAvailability();
  expect(await read("store_available", 'store="redis"')).toBe(0);
  expect(await read("store_available", 'store="postgres"')).toBe(1);

  redis.disconnect();
  await database.$disconnect();
  await testDatabase.drop();
});

it("reports Postgres as available while its sizes take long to read", async () => {
  const [testDatabase, server] = await Promise.all([createTestDatabase(), startTestRedis()]);
  const database = createDatabase(testDatabase.url, { poolSize: 3, applicationName: "test" });
  const redis = connectRedis(server.url, { name: "test" });
  const metrics = createMetrics({ service: "billing" });
  const monitor = new StoreMonitor({ database, redis, due: new DueIndex(redis), metrics, nowMs: Date.now });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let locked = () => {};
  const isLocked = new Promise<void>((resolve) => {
    locked = resolve;
  });
  const locking = inTransaction(database, async (tx) => {
    await tx.$executeRaw`LOCK TABLE quarantined_impressions IN ACCESS EXCLUSIVE MODE`;
    locked();
    await released;
  });
  await isLocked;
  const measuring = monitor.measurePostgres();
  await monitor.checkAvailability();
  expect((await metrics.exposition()).text).toMatch(/^store_available\{[^}]*store="postgres"[^}]*\} 1$/m);
  release();
  await Promise.all([locking, measuring]);
  expect((await metrics.exposition()).text).toMatch(/^billing_quarantined_records\{[^}]*\} 0$/m);

  redis.disconnect();
  await Promise.all([database.$disconnect(), server.stop()]);
  await testDatabase.drop();
});
