import { createDatabase, inTransaction } from "@diegetic/database";
import { DueIndex } from "@diegetic/hot-state";
import { createMetrics } from "@diegetic/service-kit";
import { createTestDatabase } from "@diegetic/testing/database";
import { startTestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { expect, it } from "@jest/globals";
import { StoreMonitor } from "./store-monitor.ts";

it("reports the stores, and which of them is unavailable", async () => {
  const [testDatabase, server] = await Promise.all([createTestDatabase(), startTestRedis({})]);
  const database = createDatabase(testDatabase.url, { poolSize: 1, applicationName: "test" });
  const redis = connectTestRedis(server.url);
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
  const unsafe = async () =>
    Promise.all(
      ["maxmemory-policy", "appendonly", "appendfsync"].map((setting) =>
        read("redis_unsafe_setting", `node="[^"]+",setting="${setting}"`),
      ),
    );
  expect(await unsafe()).toEqual([0, 1, 1]);
  await redis.config("SET", "maxmemory-policy", "volatile-lru");
  await redis.config("SET", "appendonly", "yes");
  await redis.config("SET", "appendfsync", "always");
  await monitor.checkAvailability();
  expect(await unsafe()).toEqual([1, 0, 0]);
  for (const fsync of ["no", "everysec"]) {
    await redis.config("SET", "appendfsync", fsync);
    await monitor.checkAvailability();
    expect(await unsafe()).toEqual([1, 0, 1]);
  }
  // An unreadable setting is not reported as unsafe, and the server is still available.
  await redis.call("ACL", "SETUSER", "default", "-config");
  await monitor.checkAvailability();
  expect(await unsafe()).toEqual([1, 0, -1]);
  expect(await read("store_available", 'store="redis"')).toBe(1);

  await redis.call("REPLICAOF", "127.0.0.1", "1");
  await monitor.checkAvailability();
  expect(await read("store_available", 'store="redis"')).toBe(0);
  await redis.call("REPLICAOF", "NO", "ONE");
  await monitor.checkAvailability();
  expect(await read("store_available", 'store="redis"')).toBe(1);
  expect(await read("postgres_database_size_bytes")).toBeGreaterThan(1_000_000);
  expect(await read("billing_quarantined_records")).toBe(1);
  expect(await read("billing_holds_oldest_expired_seconds")).toBe(90);

  // Its one connection leads to a server that has become a standby, the next one to the new primary.
  await database.$executeRaw`SET default_transaction_read_only = on`;
  await monitor.checkAvailability();
  expect(await read("store_available", 'store="postgres"')).toBe(0);

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
  const redis = connectTestRedis(server.url);
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

it("reports quarantined records though the deliveries to webhooks cannot be read", async () => {
  const [testDatabase, server] = await Promise.all([createTestDatabase(), startTestRedis()]);
  const database = createDatabase(testDatabase.url, { poolSize: 1, applicationName: "test" });
  const redis = connectTestRedis(server.url);
  const metrics = createMetrics({ service: "billing" });
  const monitor = new StoreMonitor({ database, redis, due: new DueIndex(redis), metrics, nowMs: Date.now });
  const quarantined = async () =>
    /^billing_quarantined_records\{[^}]*\} (\d)$/m.exec((await metrics.exposition()).text)?.[1];
  await database.quarantinedImpression.create({
    data: { impressionId: "imp", advertiserId: "adv", reason: "test", record: "{}" },
  });
  await database.$executeRaw`ALTER TABLE webhook_deliveries RENAME TO unreadable`;
  await expect(monitor.measurePostgres()).rejects.toThrow("webhook_deliveries");
  expect(await quarantined()).toBe("1");
  // Nor do they hide each other the other way round.
  await database.$executeRaw`ALTER TABLE unreadable RENAME TO webhook_deliveries`;
  await database.$executeRaw`ALTER TABLE quarantined_impressions RENAME TO unreadable`;
  await database.$executeRaw`
    INSERT INTO webhook_deliveries (id, event_id, webhook_id, account_id, next_attempt_at)
    VALUES ('whd', 'evt', 'whk', 'acct', now() - interval '90 seconds')`;
  await expect(monitor.measurePostgres()).rejects.toThrow("quarantined_impressions");
  expect((await metrics.exposition()).text).toMatch(
    /^webhook_deliveries_oldest_due_seconds\{[^}]*\} (9\d|1\d\d)(\.\d+)?$/m,
  );

  redis.disconnect();
  await Promise.all([database.$disconnect(), server.stop()]);
  await testDatabase.drop();
});
