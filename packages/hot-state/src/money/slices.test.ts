import { newId } from "@diegetic/contracts";
import { openWallet } from "@diegetic/testing/open-wallet";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { connectRedis, type RedisConnection } from "../connection.ts";
import { advertiserKeys, walletIdOf } from "../keys.ts";
import { createMoneyCommands } from "./commands.ts";
import { createSliceGrants, type SlicedCampaign } from "./slice-grants.ts";
import { TestWallet, today } from "./testing/wallet.ts";
import type { MoneyCommands } from "./types.ts";

const SLICES = 3;
const PRICE = 500;

let server: TestRedis;
let redis: RedisConnection;
let money: MoneyCommands;
let wallet: TestWallet;
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
  wallet = new TestWallet(money, redis, advertiserId);
  campaign = { advertiserId, campaignId: wallet.campaignId, slices: SLICES };
  await setBudget(1, 100_000);
});

function setBudget(
  version: number,
  budgetMillicents: number,
  dailyCapMillicents: number | null = null,
): Promise<string> {
  const { advertiserId, campaignId } = campaign;
  const seed = { spentMillicents: 0, impressions: 0, day: today(), daySpentMillicents: 0 };
  const settings = { version, status: "active" as const, budgetMillicents, dailyCapMillicents, seed };
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

describe("open holds of one developer", () => {
  /** Whether a match of the campaign's version is held, with money from the advertiser's own wallet where it needs some. */
  async function holds(slice: number, version: number): Promise<boolean> {
    const match = { wallet_slice: slice, campaign_version: version, price_millicents: 100 };
    const request = wallet.request(match, { campaignVersion: version });
    if ((await money.reserve(request)).outcome === "held") return true;
    if ((await extend(slice, 100)) !== null) return false;
    return (await money.reserve(request)).outcome === "held";
  }

  it("may take half of a slice's part of what is left, also after a change", async () => {
    for (let n = 0; n < 120; n += 1) expect(await holds(1, 1)).toBe(true);
    expect(await setBudget(2, 100_000)).toBe("applied");
    expect(await holds(1, 2)).toBe(true);
    let held = 121;
    while (held < 200 && (await holds(1, 2))) held += 1;
    // A third of the budget is for each slice; half of that is 166 holds.
    expect(held).toBe(166);
    for (let n = 0; n < 120; n += 1) expect(await holds(0, 2)).toBe(true);
  });
});

describe("a daily cap", () => {
  it("that is lowered counts for open holds in slices, too", async () => {
    await setBudget(2, 100_000, 10_000);
    const matches = [];
    for (let n = 0; n < 10; n += 1) {
      expect(await extend(1, 1_000)).toBeNull();
      matches.push(await wallet.hold({ wallet_slice: 1, campaign_version: 2 }, { campaignVersion: 2 }));
    }
    expect(await setBudget(3, 100_000, 3_000)).toBe("applied");
    const grants = createSliceGrants(redis);
    let charged = 0;
    for (const { match_id: matchId } of matches) {
      const commit = () => wallet.commit({ matchId, slice: 1 });
      let result = await commit();
      if (result.outcome === "refused" && result.lacks) {
        if ((await grants.extend(campaign, 1, result.lacks)) === null) result = await commit();
      }
      if (result.outcome === "charged") charged += 1;
    }
    expect(charged).toBe(3);
  });

  it("counts in a slice for the day of its grant, whatever the slice's clock says", async () => {
    const { advertiserId, campaignId } = campaign;
    const tomorrow = utcDayAfter(today());
    await redis.hset(advertiserKeys.campaign(advertiserId, campaignId), "day", tomorrow);
    expect(await extend(2, 1_000)).toBeNull();
    const slice = advertiserKeys.campaign(walletIdOf(advertiserId, 2), campaignId);
    expect(await redis.hget(slice, "day")).toBe(tomorrow);
  });
});

function utcDayAfter(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
}

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
