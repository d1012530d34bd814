import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { openStores, type Stores, WalletScenario } from "./stores.fixture.ts";

/** Others wait for the end of the claims of restores that broke off. */
const ABANDONED_CLAIM_MS = 200;

const ADVERTISERS = 12;
const MANAGEMENTS = 3;

let postgres: TestDatabase;
let server: TestRedis;
let stores: Stores;

beforeAll(async () => {
  [postgres, server] = await Promise.all([createTestDatabase(), startTestRedis()]);
  stores = openStores(postgres.url, server.url);
});
afterAll(async () => {
  await stores.close();
  await Promise.all([postgres.drop(), server.stop()]);
});

/** An advertiser with open matches, and charges that are written, on their way, or in the outbox alone. */
async function busyScenario(): Promise<WalletScenario> {
  const scenario = await WalletScenario.open(stores, { depositCents: 100, budgetCents: 50 });
  for (const campaign of [0, 1, 0, 1, 0, 1]) await scenario.hold(campaign);
  for (let charged = 0; charged < 3; charged++) await scenario.commit(scenario.open.shift());
  await scenario.deliver(1);
  return scenario;
}

/** What a restart of Redis that forgets nothing does to every wallet. */
async function restartRedis(): Promise<void> {
  await stores.redis.call("REPLICAOF", "127.0.0.1", "1");
  await stores.redis.call("REPLICAOF", "NO", "ONE");
}

/** Its open matches are billed, and reconciliation finds no difference. */
async function requireIntact(scenario: WalletScenario): Promise<void> {
  for (const match of scenario.open) expect(await scenario.commit(match)).toBe(true);
  await scenario.deliver(scenario.answered.length);
  await scenario.settle();
  const { postgres: truth, wallet, quarantined } = await scenario.compare();
  expect(wallet).toEqual(truth);
  expect(wallet).toMatchObject({ account: { impressions: 6 }, held: 0 });
  expect(quarantined).toBe(0);
}

describe("after a restart that forgets nothing, the matches of a wallet live on", () => {
  it("when several managements restore it at once", async () => {
    const all = await Promise.all(Array.from({ length: ADVERTISERS }, busyScenario));
    const ids = all.map(({ advertiserId }) => advertiserId);
    const [first] = all;
    if (first === undefined) throw new Error("there are no advertisers");
    const managements = Array.from({ length: MANAGEMENTS }, () => first.recoverer(first.money));
    for (let restart = 0; restart < 5; restart++) {
      await restartRedis();
      const left = await Promise.all(managements.map((one) => one.restoreFrozen(ids)));
      expect(left).toEqual(managements.map(() => 0));
    }
    for (const scenario of all) await requireIntact(scenario);
  });

  it.each(["before", "after"])(
    "when a restoring breaks off %s the wallet has got it, and billing writes meanwhile",
    async (moment) => {
      const scenario = await busyScenario();
      const { money } = scenario;
      const broken = scenario.recoverer(
        {
          ...money,
          async restoreWallet(request) {
            if (moment === "after") await money.restoreWallet(request);
            throw new Error("the connection broke");
          },
        },
        ABANDONED_CLAIM_MS,
      );
      for (let restart = 0; restart < 3; restart++) {
        await restartRedis();
        for (let attempt = 0; attempt < 2; attempt++) await broken.restoreFrozen([scenario.advertiserId]);
        await scenario.deliver(1);
        await scenario.settle();
        expect(await broken.restoreFrozen([scenario.advertiserId])).toBe(moment === "after" ? 0 : 1);
        expect(await restoredAfterwards(scenario)).toBe(true);
      }
      await requireIntact(scenario);
    },
    300_000,
  );
});

/** The other management waits until nobody else has a claim. */
async function restoredAfterwards(scenario: WalletScenario): Promise<boolean> {
  return (await scenario.recoverer(scenario.money).restoreFrozen([scenario.advertiserId])) === 0;
}
