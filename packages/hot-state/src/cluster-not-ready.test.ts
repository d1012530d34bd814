import type { EventEmitter } from "node:events";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedisCluster, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { Cluster } from "ioredis";
import { connectRedis, type RedisConnection, readClusterAddress } from "./connection.ts";

const SLOT = 7;

let server: TestRedis;
let nodes: RedisConnection[];
beforeAll(async () => {
  server = await startTestRedisCluster();
  const named = readClusterAddress(server.url)?.nodes ?? [];
  nodes = named.map(({ host, port }) => connectRedis(`redis://${host}:${port}`, { name: "test" }));
});
afterAll(async () => {
  for (const node of nodes) node.disconnect();
  await server.stop();
});

it("an attempt to connect to a cluster that is not ready fails, and a later one succeeds", async () => {
  const redis = connectRedis(server.url, { name: "test", patient: true });
  await redis.ping();
  const ended = new Promise((resolve) => redis.once("end", resolve));
  redis.disconnect();
  await ended;
  for (const node of nodes) await node.call("CLUSTER", "DELSLOTS", String(SLOT));
  await expect(redis.connect()).rejects.toThrow("Connection is closed.");
  await nodes[0]?.call("CLUSTER", "ADDSLOTS", String(SLOT));
  expect(await redis.ping()).toBe("PONG");
  redis.disconnect();
  // The other nodes learn of the slot's owner one after the other.
  await eventually(async () => {
    const infos = await Promise.all(nodes.map((node) => node.call("CLUSTER", "INFO")));
    return infos.every((info) => String(info).includes("cluster_state:ok"));
  });
});

it("a cluster whose former connection ends while addresses are looked up is connected to again", async () => {
  const named = server.url.replaceAll("127.0.0.1", "localhost");
  const redis = connectRedis(named, { name: "test" }) as Cluster;
  await redis.ping();
  const { dnsLookup } = redis.options;
  const lookUp: (() => void)[] = [];
  redis.options.dnsLookup = (host, found) => {
    lookUp.push(() => dnsLookup?.(host, found));
  };
  redis.disconnect(true);
  await eventually(() => lookUp.length > 0);
  const pool = redis as unknown as { connectionPool: EventEmitter };
  pool.connectionPool.emit("drain");
  redis.options.dnsLookup = dnsLookup;
  for (const answer of lookUp) answer();
  await eventually(async () => (await redis.ping()) === "PONG");
  redis.disconnect();
});
