import { startTestRedis } from "@diegetic/testing/redis";
import { expect, it } from "@jest/globals";
import { connectRedis } from "./connection.ts";
import { evictionPolicies } from "./eviction.ts";

it("names a policy that could drop money", async () => {
  const server = await startTestRedis();
  const redis = connectRedis(server.url, { name: "test" });
  expect(await evictionPolicies(redis)).toEqual([]);
  await redis.config("SET", "maxmemory-policy", "allkeys-lru");
  expect(await evictionPolicies(redis)).toEqual(["allkeys-lru"]);
  redis.disconnect();
  await server.stop();
});
