import { HashSlotMove } from "@diegetic/testing/hash-slot-move";
import { startTestRedisCluster } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterEach, expect, it } from "@jest/globals";
import { connectRedis } from "./connection.ts";
import { isRedisUnavailable } from "./redis-unavailable.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

it("a command that a cluster redirects to a node that hangs fails, and nothing else does", async () => {
  const server = await startTestRedisCluster();
  closers.push(() => server.stop());
  const redis = connectRedis(server.url, { name: "redirected-test", commandTimeoutMs: 2_000 });
  const nodes = server.url
    .replace("redis-cluster://", "")
    .split(",")
    .map((address) => ({
      connection: connectTestRedis(`redis://${address}`),
      port: Number(address.split(":")[1]),
    }));
  closers.push(() => {
    redis.disconnect();
    for (const { connection } of nodes) connection.disconnect();
  });
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on("unhandledRejection", note);
  closers.push(() => process.off("unhandledRejection", note));

  const move = await HashSlotMove.begin(nodes, "tag", (others) => others[0] ?? 0);
  expect(await redis.get("{tag}:missing")).toBeNull();
  await nodes[move.to]?.connection.client("PAUSE", 10_000, "ALL");
  const error = await redis.get("{tag}:missing").catch((thrown: unknown) => thrown);
  expect(isRedisUnavailable(error)).toBe(true);
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});
