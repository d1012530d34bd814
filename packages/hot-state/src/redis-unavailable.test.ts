import { type AddressInfo, createServer } from "node:net";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis } from "@diegetic/testing/redis";
import { startStallingProxy } from "@diegetic/testing/stalling-proxy";
import { describe, expect, it } from "@jest/globals";
import { connectRedis } from "./connection.ts";
import { describeRedisUnavailable, isRedisUnavailable } from "./redis-unavailable.ts";

describe("isRedisUnavailable", () => {
  it("knows what a command throws when its server is gone", async () => {
    const server = await startTestRedis();
    const redis = connectRedis(server.url, { name: "test", commandTimeoutMs: 5_000 });
    redis.on("error", () => undefined);
    expect(await redis.ping()).toBe("PONG");
    await server.stop();
    const error = await redis.ping().catch((thrown: unknown) => thrown);
    expect(isRedisUnavailable(error)).toBe(true);
    redis.disconnect();
    const afterwards = await redis.ping().catch((thrown: unknown) => thrown);
    expect(isRedisUnavailable(afterwards)).toBe(true);
  });

  it("distinguishes an unavailable server from a bug", () => {
    expect(isRedisUnavailable(new Error("LOADING Redis is loading the dataset in memory"))).toBe(true);
    expect(isRedisUnavailable(new Error("NOSCRIPT No matching script. Please use EVAL."))).toBe(true);
    expect(isRedisUnavailable(new Error("CLUSTERDOWN The cluster is down"))).toBe(true);
    expect(
      isRedisUnavailable(
        new Error("ERR Script attempted to access a non local key in a cluster node script: 3f"),
      ),
    ).toBe(true);
    expect(isRedisUnavailable(new Error("WRONGTYPE Operation against a key"))).toBe(false);
    expect(isRedisUnavailable(new RangeError("limit"))).toBe(false);
    expect(isRedisUnavailable("ECONNREFUSED")).toBe(false);
  });
});

it("a connection leaves a server that a failover made a replica", async () => {
  const [former, promoted] = await Promise.all([startTestRedis(), startTestRedis()]);
  const portOf = ({ url }: { url: string }) => Number(new URL(url).port);
  let primary = former;
  // Leads new connections to the new primary, and keeps those to the former one.
  const address = await startStallingProxy(() => portOf(primary));
  const redis = connectRedis(`redis://127.0.0.1:${address.port}`, { name: "test" });
  const [admin, direct] = [former, promoted].map(({ url }) => connectRedis(url, { name: "test" }));
  await redis.set("key", "before");
  primary = promoted;
  await admin?.call("REPLICAOF", "127.0.0.1", String(portOf(promoted)));

  const error = await redis.set("key", "refused").catch((thrown: unknown) => thrown);
  expect(isRedisUnavailable(error)).toBe(true);
  await eventually(async () => (await redis.set("key", "after")) === "OK");
  expect(await direct?.get("key")).toBe("after");

  for (const connection of [redis, admin, direct]) connection?.disconnect();
  await Promise.all([address.stop(), former.stop(), promoted.stop()]);
});

describe("describeRedisUnavailable", () => {
  const fake = (answer: string | undefined) => async () => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      if (answer === undefined) socket.destroy();
      else socket.on("data", () => socket.write(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { port: (server.address() as AddressInfo).port, stop: () => server.close() };
  };
  const nobody = async () => ({ port: 1, stop: () => undefined });

  it.each([
    [
      "nobody answers",
      nobody,
      /^Redis is not reached at REDIS_URL \((the connection is gone|ECONNREFUSED)\): /,
    ],
    ["the connection ends", fake(undefined), "Redis is not reached at REDIS_URL (the connection is gone): "],
    [
      "it is no Redis",
      fake("HTTP/1.1 400 Bad Request\r\n\r\n"),
      "What answers at REDIS_URL is not a Redis server",
    ],
  ])("says in the operator's words that %s", async (_what, start, sentence) => {
    const { port, stop } = await start();
    const redis = connectRedis(`redis://127.0.0.1:${port}`, { name: "test", commandTimeoutMs: 5_000 });
    redis.on("error", () => undefined);
    const error = await redis.get("x").catch((thrown: unknown) => thrown);
    redis.disconnect();
    stop();
    expect(describeRedisUnavailable(error)).toEqual(
      typeof sentence === "string" ? expect.stringContaining(sentence) : expect.stringMatching(sentence),
    );
  });

  it.each([
    ["NOAUTH Authentication required.", "Redis refuses the user or the password of REDIS_URL"],
    [
      "NOPERM this user has no permissions to run the 'eval' command\nscript: 3f",
      "The user of REDIS_URL lacks permissions in Redis: grant it ~* &* +@all (NOPERM this user has no permissions to run the 'eval' command).",
    ],
    [
      "LOADING Redis is loading",
      "Redis at REDIS_URL refuses commands (LOADING Redis is loading): see the runbook.",
    ],
    [
      "OOM command not allowed when used memory > 'maxmemory'.\nscript: 3f",
      "Redis at REDIS_URL refuses commands (OOM command not allowed when used memory > 'maxmemory'.): see the runbook.",
    ],
    [
      "ERR max number of clients reached",
      "Redis at REDIS_URL refuses commands (ERR max number of clients reached): see the runbook.",
    ],
    [
      "Command timed out",
      "Redis does not answer in time at REDIS_URL: see that it is neither stopped nor overloaded, and that the network works.",
    ],
  ])("says what %s means", (message, sentence) => {
    expect(describeRedisUnavailable(new Error(message))).toContain(sentence);
  });

  it("leaves faults of the program alone", () => {
    expect(describeRedisUnavailable(new Error("WRONGTYPE Operation against a key"))).toBeUndefined();
  });
});
