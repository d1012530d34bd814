import { GCProfiler, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Command } from "ioredis";
import type { RedisConnection } from "./connection.ts";
import { defineScript } from "./script.ts";

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

it("keeps the fields of an answered command fast", async () => {
  setFlagsFromString("--allow-natives-syntax");
  const hasFastProperties = runInNewContext("(object) => %HasFastProperties(object)") as (
    object: object,
  ) => boolean;
  const commands: object[] = [];
  const observed = Object.create(redis, {
    sendCommand: {
      value: (command: Command) => {
        commands.push(command);
        return redis.sendCommand(command);
      },
    },
  }) as RedisConnection;
  const call = defineScript(observed, "read_snapshot", 3);
  for (let time = 0; time < 20; time += 1) await call("a", "b", "c");
  expect(commands.map(hasFastProperties)).toEqual(commands.map(() => true));
});

describe("a call", () => {
  const CALLS = 200;
  const KEY_BYTES = 50_000;

  it("leaves nothing that waits for a collection of the whole heap", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as (options: { type: "minor" }) => void;
    const collectYoung = () => {
      // What outlives one is old after the next.
      for (let time = 0; time < 2; time += 1) collect({ type: "minor" });
    };
    const call = defineScript(redis, "read_snapshot", 3);
    const callTimes = async (times: number) => {
      for (let time = 0; time < times; time += 1) {
        const keys = ["a", "b", "c"].map((unit) => Buffer.alloc(KEY_BYTES, unit).toString("latin1"));
        await call(...keys);
        if (time % 10 === 9) collectYoung();
      }
      collectYoung();
      return process.memoryUsage().heapUsed;
    };
    /** Undefined: the whole heap was collected meanwhile, so that nobody can tell. */
    const leftBehind = async () => {
      const before = await callTimes(20);
      const profiler = new GCProfiler();
      profiler.start();
      const after = await callTimes(CALLS);
      const { statistics } = profiler.stop();
      return statistics.some(({ gcType }) => gcType === "MarkSweepCompact") ? undefined : after - before;
    };
    const left = await eventually(leftBehind, { timeoutMs: 240_000 });
    expect(left).toBeLessThan(CALLS * KEY_BYTES);
  });
});
