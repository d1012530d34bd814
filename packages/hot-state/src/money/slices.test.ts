import { newId } from "@diegetic/contracts";
import { openWallet } from "@diegetic/testing/open-wallet";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { connectRedis, type RedisConnection } from "../connection.ts";
import { walletIdOf } from "../keys.ts";
import { createMoneyCommands } from "./commands.ts";
import { createSliceGrants, type SlicedCampaign } from "./slice-grants.ts";
import { TestWallet, today } from "./testing/wallet.ts";
import type { MoneyCommands } from "./types.ts";

const SLICES = 3;
const PRICE = 500;

let server: TestRedis;
let redis: RedisConnection;
let money: MoneyCommands;
let campaign: SlicedCampaign;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, { name: "test" });
  money = createMoneyCommands(redis);
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

beforeEach(async () => {
  const advertiserId = newId("adv");
  await openWallet(money, { advertiserId, version: 1, depositedMillicents: 1_000_000, slices: SLICES });
  const { campaignId } = new TestWallet(money, redis, advertiserId);
  campaign = { advertiserId, campaignId, slices: SLICES };
  await setBudget(1, 100_000);
});

function setBudget(version: number, budgetMillicents: number): Promise<string> {
  const { advertiserId, campaignId } = campaign;
  const seed = { spentMillicents: 0, impressions: 0, day: today(), daySpentMillicents: 0 };
  const settings = { version, status: "active" as const, budgetMillicents, dailyCapMillicents: null, seed };
  return money.applyCampaign({ advertiserId, campaignId, ...settings });
}

function settle(kind: "late" | "reversed", impressionId: string, slice: number): Promise<string> {
  const { advertiserId, campaignId } = campaign;
  return money.settle({
    epoch: 0,
    kind,
    impressionId,
    matchId: impressionId.replace("imp_", "mat_"),
    walletId: walletIdOf(advertiserId, slice),
    campaignId,
    gameId: "game",
    priceMillicents: PRICE,
    day: today(),
    committedInEpoch: 0,
  });
}

/** For a hold of that price. */
function extend(slice: number, priceMillicents: number) {
  return createSliceGrants(redis).extend(campaign, slice, { priceMillicents, isHeld: false });
}

describe("what billing settles in a slice", () => {
  it("counts in the advertiser's wallet, also beyond what the slice was granted", async () => {
    const { advertiserId, campaignId } = campaign;
    const impressionId = newId("imp");
    expect(await settle("late", impressionId, 2)).toBe("settled");
    const charged = { spentMillicents: PRICE, heldMillicents: 0, impressions: 1 };
    expect(await money.readCampaign(advertiserId, campaignId)).toMatchObject(charged);
    expect(await money.readAccount(advertiserId)).toMatchObject(charged);
    expect(await money.setBudgetCeiling(advertiserId, campaignId, PRICE - 1)).toEqual({
      outcome: "spent",
      spentMillicents: PRICE,
    });
    expect(await settle("reversed", impressionId, 2)).toBe("settled");
    const none = { spentMillicents: 0, heldMillicents: 0, impressions: 0 };
    expect(await money.readAccount(advertiserId)).toMatchObject(none);
    expect(await money.setBudgetCeiling(advertiserId, campaignId, 0)).toEqual({ outcome: "ok" });
  });
});

describe("a lowered budget", () => {
  it("is refused when slices have spent more, and the former one counts again", async () => {
    const { advertiserId, campaignId } = campaign;
    for (const slice of [1, 2]) expect(await settle("late", newId("imp"), slice)).toBe("settled");
    const refused = { outcome: "spent", spentMillicents: 2 * PRICE };
    expect(await money.setBudgetCeiling(advertiserId, campaignId, 2 * PRICE - 1)).toEqual(refused);
    expect(await extend(1, 90_000)).toBeNull();
  });

  it("takes back what slices were granted", async () => {
    const { advertiserId, campaignId } = campaign;
    expect(await extend(1, 40_000)).toBeNull();
    expect(await extend(2, 40_000)).toBeNull();
    expect(await money.setBudgetCeiling(advertiserId, campaignId, 10_000)).toEqual({ outcome: "ok" });
    expect(await extend(1, 10_001)).toMatchObject({ reason: "budget" });
    expect(await extend(1, 10_000)).toBeNull();
    expect(await setBudget(2, 10_000)).toBe("applied");
    expect(await extend(2, 10_000)).toBeNull();
    expect(await extend(1, 10_001)).toMatchObject({ reason: "budget" });
  });
});
