import { createDatabase, type Database, inTransaction } from "@diegetic/database";
import { connectRedis, DueIndex, type RedisConnection } from "@diegetic/hot-state";
import { createMetrics, type Metrics } from "@diegetic/service-kit";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { StoreMonitor } from "./store-monitor.ts";

const NOW_MS = Date.now();

let testDatabase: TestDatabase;
let server: TestRedis;
let database: Database;
let redis: RedisConnection;
let due: DueIndex;
let metrics: Metrics;
let monitor: StoreMonitor;

beforeAll(async () => {
  [testDatabase, server] = await Promise.all([createTestDatabase(), startTestRedis({})]);
  database = createDatabase(testDatabase.url, { poolSize: 3, applicationName: "test" });
  redis = connectRedis(server.url, { name: "test" });
  due = new DueIndex(redis);
});
beforeEach(() => {
  metrics = createMetrics({ service: "billing" });
  monitor = new StoreMonitor({ database, redis, due, metrics, nowMs: () => NOW_MS });
});
// The last test stops Redis.
afterAll(async () => {
  redis.disconnect();
  await database.$disconnect();
  await testDatabase.drop();
});

async function read(name: string, labels = ""): Promise<number | undefined> {
  const { text } = await metrics.exposition();
  const found = new RegExp(`^${name}\\{${labels}[^}]*\\} (\\S+)$`, "m").exec(text);
  return found === null ? undefined : Number(found[1]);
}

it("reports Postgres as available while its sizes take long to read", async () => {
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
  expect(await read("store_available", 'store="postgres"')).toBe(1);
  release();
  await Promise.all([locking, measuring]);
  expect(await read("billing_quarantined_records")).toBe(0);
});

it("reports quarantined records though the deliveries to webhooks cannot be read", async () => {
  await database.quarantinedImpression.createMany({
    data: [null, new Date()].map((resolvedAt, index) => ({
      impressionId: `imp_${index}`,
      advertiserId: "adv_late",
      reason: "test",
      record: "{}",
      resolvedAt,
    })),
  });
  await database.$executeRaw`ALTER TABLE webhook_deliveries RENAME TO unreadable`;
  await expect(monitor.measurePostgres()).rejects.toThrow("webhook_deliveries");
  expect(await read("billing_quarantined_records")).toBe(1);
  // Nor do they hide each other the other way round.
  await database.$executeRaw`ALTER TABLE unreadable RENAME TO webhook_deliveries`;
  await database.$executeRaw`ALTER TABLE quarantined_impressions RENAME TO unreadable`;
  await database.$executeRaw`
    INSERT INTO webhook_deliveries (id, event_id, webhook_id, account_id, next_attempt_at)
    VALUES ('whd', 'evt', 'whk', 'acct', now() - interval '90 seconds')`;
  await expect(monitor.measurePostgres()).rejects.toThrow("quarantined_impressions");
  const seconds = await read("webhook_deliveries_oldest_due_seconds");
  expect(seconds).toBeGreaterThanOrEqual(90);
  expect(seconds).toBeLessThan(200);
  await database.$executeRaw`ALTER TABLE unreadable RENAME TO quarantined_impressions`;
});

it("reports the stores, and which of them is unavailable", async () => {
  await redis.config("SET", "maxmemory", "64mb");
  await due.register("holds", "adv_late", NOW_MS - 90_000);
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
});
