import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { Town } from "./town.fixture.ts";

let server: TestRedis;
let town: Town;
beforeAll(async () => {
  server = await startTestRedis();
  town = await Town.open(server.url, { depositCents: 10_000, budgetCents: 5_000 });
});
afterAll(async () => {
  await town.close();
  await server.stop();
});

it("charges open matches after a restart of a Redis whose memory is full", async () => {
  await town.play(1);
  const open = await town.served();
  await town.agree(1);
  await town.redis.config("SET", "maxmemory", "1");
  // As a restart that forgets nothing.
  await town.redis.call("REPLICAOF", "127.0.0.1", "1");
  await town.redis.call("REPLICAOF", "NO", "ONE");
  expect(await town.statusOf(open)).toBe(201);
  expect((await town.match()).status).toBe(503);
  await town.redis.config("SET", "maxmemory", "0");
  await town.agree(2);
});
