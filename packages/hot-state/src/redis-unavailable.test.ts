import { type AddressInfo, createServer } from "node:net";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { startStallingProxy } from "@diegetic/testing/stalling-proxy";
import { afterEach, describe, expect, it } from "@jest/globals";
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

describe("a connection to a server that a failover made a replica", () => {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  const startRedis = async () => {
    const server = await startTestRedis();
    const direct = connectTestRedis(server.url);
    closers.push(
      () => server.stop(),
      () => direct.disconnect(),
    );
    return { port: Number(new URL(server.url).port), url: server.url, direct };
  };
  const connect = (url: string) => {
    const redis = connectRedis(url, { name: "test" });
    closers.push(() => redis.disconnect());
    return redis;
  };

  it("leads to the new primary", async () => {
    const [former, promoted] = await Promise.all([startRedis(), startRedis()]);
    let primary = former;
    // Leads new connections to the new primary, and keeps those to the former one.
    const address = await startStallingProxy(() => primary.port);
    closers.push(() => address.stop());
    const redis = connect(`redis://127.0.0.1:${address.port}`);
    await redis.set("key", "before");
    primary = promoted;
    await former.direct.call("REPLICAOF", "127.0.0.1", String(promoted.port));

    const error = await redis.set("key", "refused").catch((thrown: unknown) => thrown);
    expect(isRedisUnavailable(error)).toBe(true);
    await eventually(async () => (await redis.set("key", "after")) === "OK");
    expect(await promoted.direct.get("key")).toBe("after");
  });

  it("is not replaced by every command while there is no other server", async () => {
    const { url, direct } = await startRedis();
    const connections = async () =>
      Number(/total_connections_received:(\d+)/.exec(String(await direct.call("INFO", "stats")))?.[1]);
    const redis = connect(url);
    await redis.ping();
    await direct.call("REPLICAOF", "127.0.0.1", "1");
    const [before, startedMs] = [await connections(), performance.now()];
    for (let refused = 0; refused < 300; refused += 1) {
      await expect(redis.set("key", "refused")).rejects.toThrow();
    }
    const seconds = (performance.now() - startedMs) / 1_000;
    expect((await connections()) - before).toBeLessThanOrEqual(1 + Math.floor(seconds));
  });
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
