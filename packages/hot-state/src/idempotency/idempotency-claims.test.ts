import { startTestRedis, startTestRedisCluster, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { RedisConnection } from "../connection.ts";
import { IdempotencyClaims } from "./idempotency-claims.ts";

const servers: [string, () => Promise<TestRedis>][] = [
  ["Redis", () => startTestRedis()],
  ["Redis Cluster", () => startTestRedisCluster()],
];

describe.each(servers)("idempotency claims on %s", (_kind, startServer) => {
  let server: TestRedis;
  let redis: RedisConnection;
  let claims: IdempotencyClaims;

  beforeAll(async () => {
    server = await startServer();
    redis = connectTestRedis(server.url);
    claims = new IdempotencyClaims(redis);
  });

  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  const claim = (operation: string, bodyHash: string) => claims.claim(operation, bodyHash);
  const outcome = async (operation: string, bodyHash: string) => (await claim(operation, bodyHash)).outcome;

  it("lets the first body and its retries through, and no other body", async () => {
    const operation = "acct_1 POST /impressions {key} \u{1f600}";
    expect(await claim(operation, "x")).toEqual({ outcome: "new", matchId: null });
    expect(await claim(operation, "x")).toEqual({ outcome: "same", matchId: null });
    expect(await claim(operation, "y")).toEqual({ outcome: "conflict" });
    await claims.finish(operation, "x", "mat_1");
    expect(await claim(operation, "x")).toEqual({ outcome: "same", matchId: "mat_1" });
    expect(await outcome(operation, "y")).toBe("conflict");
    expect(await outcome("another", "y")).toBe("new");
  });

  it("frees the operation when its answer is not kept", async () => {
    await claim("dropped", "x");
    await claims.finish("dropped", "x", null);
    expect(await outcome("dropped", "y")).toBe("new");
    await claims.finish("dropped", "x", null);
    expect(await outcome("dropped", "z")).toBe("conflict");
  });

  it("keeps the answer of a body whose first try was refused while another was under way", async () => {
    await claim("two tries", "x");
    await claim("two tries", "x");
    await claims.finish("two tries", "x", null);
    expect(await claim("two tries", "x")).toEqual({ outcome: "new", matchId: null });
    await claims.finish("two tries", "x", "mat_1");
    expect(await claim("two tries", "x")).toEqual({ outcome: "same", matchId: "mat_1" });
  });

  it("keeps the result of a concurrent retry", async () => {
    await claim("raced", "x");
    await claim("raced", "x");
    await claims.finish("raced", "x", "mat_1");
    await claims.finish("raced", "x", null);
    expect(await outcome("raced", "y")).toBe("conflict");
  });

  it("keeps the first answer when another body finishes late", async () => {
    await claim("late", "x");
    await claims.finish("late", "x", "mat_1");
    await claims.finish("late", "y", "mat_2");
    expect(await claim("late", "x")).toEqual({ outcome: "same", matchId: "mat_1" });
  });

  it("is forgotten 24 hours after the first claim, however often it is tried and kept", async () => {
    const before = await claimKeys(redis);
    await claim("counted from the first", "x");
    const [key = ""] = (await claimKeys(redis)).filter((name) => !before.includes(name));
    expect(await redis.pttl(key)).toBeGreaterThan(86_000_000);
    expect(await redis.pttl(key)).toBeLessThanOrEqual(86_400_000);
    await redis.pexpire(key, 600_000);
    await claim("counted from the first", "x");
    await claims.finish("counted from the first", "x", "mat_1");
    await claims.finish("counted from the first", "x", "mat_1");
    expect(await redis.pttl(key)).toBeGreaterThan(0);
    expect(await redis.pttl(key)).toBeLessThanOrEqual(600_000);
    await redis.del(key);
    await claims.finish("counted from the first", "x", "mat_1");
    expect(await redis.pttl(key)).toBeGreaterThan(86_000_000);
  });

  it("gives one claim to many who come at once", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => outcome("many", `body ${i}`)));
    expect(answers.filter((answer) => answer === "new")).toHaveLength(1);
    expect(answers.filter((answer) => answer === "conflict")).toHaveLength(19);
  });
});

async function claimKeys(redis: RedisConnection): Promise<string[]> {
  if ("nodes" in redis)
    return (await Promise.all(redis.nodes("master").map((node) => node.keys("*")))).flat();
  return redis.keys("*");
}
