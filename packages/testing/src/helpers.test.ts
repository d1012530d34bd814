import { createConnection } from "node:net";
import { afterAll, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { createTestDatabase } from "./database.ts";
import { eventually } from "./eventually.ts";
import { startTestRedis, startTestRedisCluster } from "./redis.ts";

function answersPing(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = createConnection({ host: hostname, port: Number(port) }, () => socket.write("PING\r\n"));
    socket.once("data", (reply) => {
      socket.destroy();
      resolve(reply.toString().startsWith("+PONG"));
    });
    socket.once("error", () => resolve(false));
  });
}

describe("test helpers", () => {
  const stops: (() => Promise<void>)[] = [];
  afterAll(async () => {
    await Promise.all(stops.map((stop) => stop()));
  });

  it("gives each caller a separate database and drops it despite open connections", async () => {
    const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    stops.push(other.drop);
    const client = new pg.Client({ connectionString: one.url });
    client.on("error", () => {});
    await client.connect();
    await client.query("CREATE TABLE only_here (id int)");
    await one.drop();
    const otherClient = new pg.Client({ connectionString: other.url });
    await otherClient.connect();
    const { rows } = await otherClient.query("SELECT to_regclass('only_here') AS name");
    expect(rows).toEqual([{ name: null }]);
    await otherClient.end();
  });

  it("gives each caller a separate Redis, and accepts a stopped one back", async () => {
    const servers = await Promise.all([startTestRedis(), startTestRedis()]);
    expect(new Set(servers.map(({ url }) => url)).size).toBe(2);
    for (const server of [...servers, ...servers]) await server.stop();
  });

  it("starts a Redis that is gone after stop", async () => {
    const redis = await startTestRedis();
    expect(await answersPing(redis.url)).toBe(true);
    await redis.stop();
    expect(await answersPing(redis.url)).toBe(false);
  });

  it("starts a cluster whose every node answers", async () => {
    const cluster = await startTestRedisCluster();
    stops.push(cluster.stop);
    const nodes = cluster.url.slice("redis-cluster://".length).split(",");
    expect(nodes).toHaveLength(3);
    expect(await Promise.all(nodes.map((node) => answersPing(`redis://${node}`)))).toEqual([
      true,
      true,
      true,
    ]);
  });

  it("waits for a condition, and says what it waited for when it never comes", async () => {
    let looks = 0;
    expect(await eventually(() => ++looks >= 3 && looks)).toBe(3);
    await expect(eventually(() => false, { timeoutMs: 20 })).rejects.toThrow("not within 20 ms");
  });
});
