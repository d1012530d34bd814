import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { startStallingProxy } from "@diegetic/testing/stalling-proxy";
import { it } from "@jest/globals";
import type { Redis } from "ioredis";
import { connectRedis } from "../connection.ts";
import { snapshotKeys } from "../keys.ts";
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

it("subscribes at the new primary after a failover", async () => {
  const [former, promoted] = await Promise.all([startTestRedis(), startTestRedis()]);
  const portOf = ({ url }: { url: string }) => Number(new URL(url).port);
  let primary = former;
  // Leads new connections to the new primary, and keeps those to the former one.
  const address = await startStallingProxy(() => portOf(primary));
  const redis = connectRedis(`redis://127.0.0.1:${address.port}`, { name: "follower" });
  const [atFormer, atPromoted] = [connectTestRedis(former.url), connectTestRedis(promoted.url)];
  for (const direct of [atFormer, atPromoted]) await new SnapshotPublisher(direct).rebuild([]);
  const follower = new SnapshotFollower(redis, { instance: "a", onChange: () => undefined });
  follower.start();
  const subscribers = async (direct: ReturnType<typeof connectTestRedis>) =>
    ((await direct.call("PUBSUB", "NUMSUB", snapshotKeys.changed)) as [string, number])[1];
  await eventually(async () => (await subscribers(atFormer)) === 1);

  primary = promoted;
  await atFormer.call("REPLICAOF", "127.0.0.1", String(portOf(promoted)));
  await eventually(async () => (await subscribers(atPromoted)) === 1);
  await eventually(async () => (await subscribers(atFormer)) === 0);

  await follower.stop();
  for (const connection of [redis, atFormer, atPromoted]) connection.disconnect();
  await address.stop();
  await Promise.all([former.stop(), promoted.stop()]);
});
