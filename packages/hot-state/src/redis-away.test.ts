import { describe, expect, it } from "@jest/globals";
import { startTestRedis } from "../../../tests/helpers/redis.ts";
import { connectRedis } from "./connection.ts";
import { isRedisAway } from "./redis-away.ts";

describe("isRedisAway", () => {
  it("knows what a command throws when its server is gone", async () => {
    const server = await startTestRedis();
    const redis = connectRedis(server.url, { name: "test", commandTimeoutMs: 500 });
    redis.on("error", () => undefined);
    expect(await redis.ping()).toBe("PONG");
    await server.stop();
    const error = await redis.ping().catch((thrown: unknown) => thrown);
    expect(isRedisAway(error)).toBe(true);
    redis.disconnect();
    const afterwards = await redis.ping().catch((thrown: unknown) => thrown);
    expect(isRedisAway(afterwards)).toBe(true);
  });

  it("tells a server that cannot serve from a fault of the program", () => {
    expect(isRedisAway(new Error("LOADING Redis is loading the dataset in memory"))).toBe(true);
    expect(isRedisAway(new Error("NOSCRIPT No matching script. Please use EVAL."))).toBe(true);
    expect(isRedisAway(new Error("CLUSTERDOWN The cluster is down"))).toBe(true);
    expect(
      isRedisAway(new Error("ERR Script attempted to access a non local key in a cluster node script: 3f")),
    ).toBe(true);
    expect(isRedisAway(new Error("WRONGTYPE Operation against a key"))).toBe(false);
    expect(isRedisAway(new RangeError("limit"))).toBe(false);
    expect(isRedisAway("ECONNREFUSED")).toBe(false);
  });
});
