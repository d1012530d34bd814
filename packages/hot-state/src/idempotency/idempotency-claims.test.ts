import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startTestRedis, startTestRedisCluster, type TestRedis } from "../../../../tests/helpers/redis.ts";
import { connectRedis, type RedisConnection } from "../connection.ts";
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
    redis = connectRedis(server.url, { name: "claims-test" });
    claims = new IdempotencyClaims(redis);
  }, 60_000);

  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  it("lets the first body and its retries through, and no other body", async () => {
    const operation = "acct_1 POST /impressions {key} \u{1f600}";
    expect(await claims.claim(operation, "x")).toBe("new");
    expect(await claims.claim(operation, "x")).toBe("same");
    expect(await claims.claim(operation, "y")).toBe("conflict");
    await claims.finish(operation, "x", "keep");
    expect(await claims.claim(operation, "x")).toBe("same");
    expect(await claims.claim(operation, "y")).toBe("conflict");
    expect(await claims.claim("another", "y")).toBe("new");
  });

  it("frees the operation when its answer is not kept", async () => {
    expect(await claims.claim("dropped", "x")).toBe("new");
    await claims.finish("dropped", "x", "drop");
    expect(await claims.claim("dropped", "y")).toBe("new");
    await claims.finish("dropped", "x", "drop");
    expect(await claims.claim("dropped", "z")).toBe("conflict");
  });

  it("does not take away what a concurrent retry has kept", async () => {
    await claims.claim("raced", "x");
    await claims.claim("raced", "x");
    await claims.finish("raced", "x", "keep");
    await claims.finish("raced", "x", "drop");
    expect(await claims.claim("raced", "y")).toBe("conflict");
  });

  it("keeps the answer that stands when another body finishes late", async () => {
    await claims.claim("late", "x");
    await claims.finish("late", "x", "keep");
    await claims.finish("late", "y", "keep");
    expect(await claims.claim("late", "x")).toBe("same");
  });

  it("is forgotten after 24 hours, claimed or kept", async () => {
    const ttls = async () => {
      const keys = await claimKeys(redis);
      return Promise.all(keys.map((key) => redis.pttl(key)));
    };
    await claims.claim("claimed only", "x");
    for (const ttl of await ttls()) {
      expect(ttl).toBeGreaterThan(86_000_000);
      expect(ttl).toBeLessThanOrEqual(86_400_000);
    }
  });

  it("gives one claim to many who come at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => claims.claim("many", `body ${i}`)),
    );
    expect(answers.filter((answer) => answer === "new")).toHaveLength(1);
    expect(answers.filter((answer) => answer === "conflict")).toHaveLength(19);
  });
});

async function claimKeys(redis: RedisConnection): Promise<string[]> {
  if ("nodes" in redis)
    return (await Promise.all(redis.nodes("master").map((node) => node.keys("*")))).flat();
  return redis.keys("*");
}
