import { startTestRedisCluster } from "@diegetic/testing/redis";
import { afterEach, describe, expect, it } from "@jest/globals";
import { connectRedis, type RedisConnection } from "./connection.ts";
import { describeRedisUnavailable } from "./redis-unavailable.ts";

/** Beyond the limit of a command on a busy machine; without a limit nothing would end it. */
const TEST_TIMEOUT_MS = 60_000;
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function connect(url: string): RedisConnection {
  const redis = connectRedis(url, { name: "test" });
  closers.push(() => redis.disconnect());
  return redis;
}

const failureOf = async (redis: RedisConnection) =>
  describeRedisUnavailable(await redis.set("key", "value").catch((error: unknown) => error));

describe("a command fails soon", () => {
  it(
    "while no node of a cluster has ever answered",
    async () => {
      const redis = connect("redis-cluster://127.0.0.1:1");
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        expect(await failureOf(redis)).toMatch(/REDIS_URL/);
      }
    },
    TEST_TIMEOUT_MS,
  );

  it(
    "after a second attempt to connect, however many nodes are named",
    async () => {
      const redis = connect("redis-cluster://127.0.0.1:1,127.0.0.1:2,127.0.0.1:3");
      let attempts = 0;
      redis.on("connecting", () => {
        attempts += 1;
      });
      expect(await failureOf(redis)).toMatch(/REDIS_URL/);
      expect(attempts).toBe(2);
    },
    TEST_TIMEOUT_MS,
  );

  it(
    "once all nodes of a cluster are gone",
    async () => {
      const server = await startTestRedisCluster();
      const redis = connect(server.url);
      expect(await redis.set("key", "value")).toBe("OK");
      await server.stop();
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        expect(await failureOf(redis)).toMatch(/REDIS_URL/);
      }
    },
    TEST_TIMEOUT_MS,
  );
});
