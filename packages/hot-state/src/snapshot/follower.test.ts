import { startTestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { startStallingProxy } from "@diegetic/testing/stalling-proxy";
import { it } from "@jest/globals";
import type { Redis } from "ioredis";
import { connectRedis } from "../connection.ts";
import { SnapshotFollower } from "./follower.ts";
import { SnapshotPublisher } from "./publisher.ts";

it("survives that Redis does not answer a renewed subscription", async () => {
  const server = await startTestRedis();
  const proxy = await startStallingProxy(Number(new URL(server.url).port));
  const redis = connectRedis(`redis://127.0.0.1:${proxy.port}`, { name: "proxied" }) as Redis;
  const direct = connectTestRedis(server.url);
  await new SnapshotPublisher(direct).rebuild([]);
  const duplicates: Redis[] = [];
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (...options) => {
    const copy = duplicate(...options);
    duplicates.push(copy);
    return copy;
  };
  const follower = new SnapshotFollower(redis, { instance: "a", onChange: () => undefined });
  follower.start();
  await follower.waitUntilFresh(60_000);
  const [subscriber] = duplicates;
  if (subscriber === undefined) throw new Error("the follower has no connection of its own");

  // `once` of node:events would reject by the error of the broken connection.
  const renewed = new Promise<unknown>((resolve) => subscriber.once("ready", resolve)).then(() =>
    proxy.stall(),
  );
  proxy.breakConnections();
  await renewed;
  // A rejection that nobody handles fails the test.
  await follower.stop();

  redis.disconnect();
  direct.disconnect();
  await proxy.stop();
  await server.stop();
});
