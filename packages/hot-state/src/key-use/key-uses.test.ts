import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis, startTestRedisCluster, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { RedisConnection } from "../connection.ts";
import { keyUseKeys } from "../keys.ts";
import { KeyUses, takeKeyUses } from "./key-uses.ts";

const servers: [string, () => Promise<TestRedis>][] = [
  ["Redis", () => startTestRedis()],
  ["Redis Cluster", () => startTestRedisCluster()],
];

describe.each(servers)("uses of keys on %s", (_kind, startServer) => {
  let server: TestRedis;
  let redis: RedisConnection;
  beforeAll(async () => {
    server = await startServer();
    redis = connectTestRedis(server.url);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });
  beforeEach(async () => {
    await redis.del(keyUseKeys.last);
  });

  it("are gathered, and the latest of all instances is taken once, the oldest first", async () => {
    const [one, other] = [new KeyUses(redis), new KeyUses(redis)];
    one.record("key_a", 5_000);
    one.record("key_a", 4_000);
    one.record("key_b", 3_000);
    other.record("key_a", 2_000);
    other.record("key_b", 6_000);
    await one.flush();
    await other.flush();
    await other.flush();
    expect(await takeKeyUses(redis, 1)).toEqual([{ keyId: "key_a", usedAtMs: 5_000 }]);
    expect(await takeKeyUses(redis, 10)).toEqual([{ keyId: "key_b", usedAtMs: 6_000 }]);
    expect(await takeKeyUses(redis, 10)).toEqual([]);
  });

  it("are sent by themselves after a while", async () => {
    const uses = new KeyUses(redis, { everyMs: 5 });
    for (const usedAtMs of [1, 2]) {
      uses.record("key_a", usedAtMs);
      const taken = await eventually(async () => (await takeKeyUses(redis, 10))[0]);
      expect(taken).toEqual({ keyId: "key_a", usedAtMs });
    }
  });

  it("are remembered up to a limit, and in pages", async () => {
    const uses = new KeyUses(redis, { maxRemembered: 2_500 });
    for (let n = 0; n < 2_600; n++) uses.record(`key_${n}`, n + 1);
    await uses.flush();
    expect(await redis.zcard(keyUseKeys.last)).toBe(2_500);
    expect(await takeKeyUses(redis, 5_000)).toHaveLength(1_000);
  });
});

it("keeps uses that could not be sent, and says so", async () => {
  const server = await startTestRedis();
  const redis = connectTestRedis(server.url);
  redis.on("error", () => {});
  const errors: Error[] = [];
  const uses = new KeyUses(redis, { everyMs: 5, onError: (error) => errors.push(error) });
  await redis.ping();
  redis.disconnect();
  uses.record("key_a", 7);
  await eventually(() => errors.length > 1);
  await redis.connect();
  await eventually(async () => (await redis.zscore(keyUseKeys.last, "key_a")) === "7");
  redis.disconnect();
  await server.stop();
});
