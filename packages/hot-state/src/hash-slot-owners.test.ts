import { startTestRedisCluster, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { RedisConnection } from "./connection.ts";
import { hashSlotOf, hashSlotOwners } from "./hash-slot-owners.ts";

let server: TestRedis;
let redis: RedisConnection;
beforeAll(async () => {
  server = await startTestRedisCluster();
  redis = connectTestRedis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

describe("hashSlotOf", () => {
  it("is what Redis says of a key", async () => {
    const tags = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(tags, async (tag) => {
        fc.pre(!tag.includes("}"));
        expect(hashSlotOf(tag)).toBe(await redis.cluster("KEYSLOT", `{${tag}}:account`));
      }),
      { numRuns: 200 },
    );
  });
});

describe("hashSlotOwners", () => {
  it("knows a node for every hashSlot of a cluster", async () => {
    const owners = await hashSlotOwners(redis);
    expect(owners.size).toBe(16_384);
    expect(new Set(owners.values()).size).toBe(3);
    const nodes = String(await redis.cluster("NODES"));
    for (const [hashSlot, id] of [...owners].slice(0, 1))
      expect(nodes).toMatch(new RegExp(`^${id} .* ${hashSlot}-`, "m"));
  });
});
