import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { RedisConnection } from "../connection.ts";
import { ProcessReporter, readProcessReports } from "./process-reports.ts";

const HOUR_MS = 3_600_000;

let server: TestRedis;
let redis: RedisConnection;
beforeAll(async () => {
  server = await startTestRedis();
  redis = connectTestRedis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

it("shows every process until it ends, or for an hour after it was last heard of", async () => {
  const start = (instance: string, failing: string[]) => {
    const state = async () => ({ failing });
    const reporter = new ProcessReporter(redis, { service: "match", instance, state, nowMs: () => 5_000 });
    reporter.start();
    return reporter;
  };
  const [one, other] = [start("match-2", []), start("match-1", ["snapshot"])];
  const reports = async (nowMs: number) =>
    (await readProcessReports(redis, nowMs)).map(({ instance, failing }) => [instance, failing]);
  await eventually(async () => (await reports(5_000)).length === 2);
  expect(await reports(5_000 + HOUR_MS)).toEqual([
    ["match-1", ["snapshot"]],
    ["match-2", []],
  ]);
  await other.stop();
  expect(await reports(5_000)).toEqual([["match-2", []]]);
  expect(await reports(5_001 + HOUR_MS)).toEqual([]);
  await one.stop();
});

it("says nothing where Redis became another installation's while the state was read", async () => {
  let isOwn = true;
  let refusals = 0;
  const state = async () => {
    isOwn = false;
    return { failing: [] };
  };
  const checkOwner = async () => {
    if (isOwn) return;
    refusals += 1;
    throw new Error("the Redis of another installation");
  };
  const reporter = new ProcessReporter(redis, {
    service: "billing",
    instance: "b",
    state,
    checkOwner,
    nowMs: () => 1,
  });
  reporter.start();
  // A report that was written in spite of the first refusal is there by the second.
  await eventually(() => refusals > 1);
  expect(await readProcessReports(redis, 1)).toEqual([]);
  await reporter.stop();
});

it("says nothing while there is nothing to report", async () => {
  let attempts = 0;
  const state = async () => {
    attempts += 1;
    throw new Error("the Redis of another installation");
  };
  const reporter = new ProcessReporter(redis, { service: "billing", instance: "b", state, nowMs: () => 1 });
  reporter.start();
  await eventually(() => attempts > 0);
  await reporter.stop();
  expect(await readProcessReports(redis, 1)).toEqual([]);
});
