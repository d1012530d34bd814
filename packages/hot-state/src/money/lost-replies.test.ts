import { newId } from "@diegetic/contracts";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { connectRedis, type RedisConnection } from "../connection.ts";
import { createMoneyCommands } from "./commands.ts";
import { holdOf } from "./holds.ts";
import { TestWallet } from "./testing/wallet.ts";
import type { MoneyCommands } from "./types.ts";

const MATCHES = 400;
const CUTS = 20;
const MAX_ATTEMPTS = 50;

let server: TestRedis;
let redis: RedisConnection;
let killer: RedisConnection;
let money: MoneyCommands;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, { name: "lost-replies-test" });
  redis.on("error", () => undefined);
  killer = connectTestRedis(server.url);
  money = createMoneyCommands(redis);
});

afterAll(async () => {
  redis.disconnect();
  killer.disconnect();
  await server.stop();
});

/** Runs every task until it has an answer, while the connection is cut again and again under them. */
async function whileCut<Result>(tasks: (() => Promise<Result>)[]): Promise<Result[]> {
  const untilAnswered = async (task: () => Promise<Result>): Promise<Result> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await task();
      } catch (error) {
        if (attempt === MAX_ATTEMPTS) throw error;
      }
    }
  };
  const results = Promise.all(tasks.map(untilAnswered));
  for (let i = 0; i < CUTS; i++) await killer.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
  return results;
}

describe("when replies are lost and commands are sent again", () => {
  it("holds, charges and releases each match once", async () => {
    const wallet = await TestWallet.open(money, redis, {
      depositedMillicents: 10_000_000,
      budgetMillicents: 10_000_000,
    });
    const requests = Array.from({ length: MATCHES }, () => wallet.request());
    const holds = await whileCut(requests.map((request) => () => money.reserve(request)));
    expect(new Set(holds.map(({ outcome }) => outcome))).toEqual(new Set(["held"]));
    expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: MATCHES * 1_000 });

    const half = requests.slice(0, MATCHES / 2);
    const impressions = half.map(({ match }, i) => ({
      impressionId: newId("imp"),
      matchId: i % 2 === 0 ? match.match_id : null,
    }));
    const charges = await whileCut(impressions.map((impression) => () => wallet.commit(impression)));
    expect(new Set(charges.map(({ outcome }) => outcome))).toEqual(new Set(["charged"]));
    const { account } = await wallet.totals();
    const records = new Set(
      charges.map((charge) => (charge.outcome === "charged" ? charge.record.impression_id : charge.reason)),
    );
    expect(account.impressions).toBe(records.size);
    expect(await wallet.spentAndHeld()).toEqual({
      spent: records.size * 1_000,
      held: (MATCHES - records.size) * 1_000,
    });

    await whileCut(
      requests.map(
        ({ match }) =>
          () =>
            money.release(holdOf(match), "cancelled"),
      ),
    );
    expect(await wallet.spentAndHeld()).toEqual({ spent: records.size * 1_000, held: 0 });
  });
});
