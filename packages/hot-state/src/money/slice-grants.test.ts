import { startTestRedis, startTestRedisCluster, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { rounds } from "@diegetic/testing/rounds";
import { afterAll, beforeAll, describe, it } from "@jest/globals";
import fc from "fast-check";
import type { RedisConnection } from "../connection.ts";
import { createMoneyCommands } from "./commands.ts";
import { SLICES, SlicedRehearsal, type SlicedStep } from "./testing/sliced-rehearsal.ts";
import type { MoneyCommands } from "./types.ts";

const campaign = fc.nat({ max: 1 });
const slice = fc.nat({ max: SLICES - 1 });
const choice = fc.nat({ max: 1_000 });
const step: fc.Arbitrary<SlicedStep> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant("reserve" as const),
      campaign,
      slice,
      price: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("commit" as const), match: choice }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("commit any" as const), match: choice }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("release" as const), match: choice, lapsed: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("lose grant" as const), campaign, slice }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("accept late" as const), grant: choice }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("report late" as const), report: choice }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("take back" as const),
      campaign,
      part: fc.oneof(
        { weight: 4, arbitrary: fc.constant("unused" as const) },
        fc.integer({ min: 1, max: 5 }),
      ),
      isReported: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("set budget" as const), campaign, units: fc.nat({ max: 40 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("set cap" as const),
      campaign,
      units: fc.option(fc.integer({ min: 1, max: 30 })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("late" as const),
      campaign,
      slice,
      price: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reverse" as const), match: choice }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("report" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("restore" as const),
      forget: fc.array(fc.boolean(), { minLength: SLICES, maxLength: SLICES }),
      limits: fc.option(
        fc.record({
          budget: fc.integer({ min: 1, max: 40 }),
          dailyCap: fc.option(fc.integer({ min: 1, max: 30 })),
        }),
      ),
    }),
  },
);

describe.each([
  { kind: "a single Redis", start: startTestRedis, runs: rounds(40, 1_000) },
  { kind: "a cluster", start: startTestRedisCluster, runs: rounds(10, 300) },
])("a wallet in slices on $kind", ({ start, runs }) => {
  let server: TestRedis;
  let redis: RedisConnection;
  let money: MoneyCommands;

  beforeAll(async () => {
    server = await start();
    redis = connectTestRedis(server.url);
    money = createMoneyCommands(redis);
  });

  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  it("never spends more than its limits, whatever messages are lost, late or repeated, and knows in the end what was spent", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          deposited: fc.integer({ min: 5, max: 60 }),
          budgets: fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 })),
          dailyCap: fc.option(fc.integer({ min: 1, max: 30 })),
        }),
        fc.array(step, { minLength: 1, maxLength: 60, size: "max" }),
        async (limits, steps) => {
          const rehearsal = await SlicedRehearsal.open(money, redis, limits);
          for (const one of steps) await rehearsal.run(one);
          await rehearsal.finish();
        },
      ),
      { numRuns: runs },
    );
  }, 600_000);
});
