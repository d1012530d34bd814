import { startTestRedis, startTestRedisCluster } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { expect, it } from "@jest/globals";
import { serverMemory } from "./server-memory.ts";

it("reports used memory, its limit, what is done at it, and whether writes are kept on disk", async () => {
  const server = await startTestRedis();
  const redis = connectTestRedis(server.url);
  await redis.config("SET", "maxmemory", "64mb");
  const { host } = new URL(server.url);
  const [before] = await serverMemory(redis);
  const maxBytes = 64 * 1_048_576;
  expect(before).toEqual({
    node: host,
    usedBytes: expect.any(Number),
    maxBytes,
    settings: { "maxmemory-policy": "noeviction", appendonly: "no", appendfsync: "everysec" },
    isReplica: false,
  });
  await redis.config("SET", "maxmemory-policy", "allkeys-lru");
  await redis.config("SET", "appendonly", "yes");
  await redis.config("SET", "appendfsync", "always");
  await redis.set("large", "x".repeat(1_048_576));
  const [after] = await serverMemory(redis);
  expect(after?.usedBytes).toBeGreaterThan((before?.usedBytes ?? 0) + 1_048_576);
  const settings = { "maxmemory-policy": "allkeys-lru", appendonly: "yes", appendfsync: "always" };
  expect(after?.settings).toEqual(settings);

  // A managed Redis may have no CONFIG, or withhold it.
  await redis.call("ACL", "SETUSER", "default", "-config");
  const [managed] = await serverMemory(redis);
  expect(managed?.settings).toEqual({ ...settings, appendfsync: undefined });
  redis.disconnect();
  await server.stop();
});

it("reports it for every master of a cluster", async () => {
  const server = await startTestRedisCluster();
  const redis = connectTestRedis(server.url);
  await redis.ping();
  const memory = await serverMemory(redis);
  expect(new Set(memory.map(({ node }) => node)).size).toBe(3);
  for (const { usedBytes } of memory) expect(usedBytes).toBeGreaterThan(0);
  redis.disconnect();
  await server.stop();
});
