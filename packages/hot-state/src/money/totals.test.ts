import { newId } from "@diegetic/contracts";
import { openWallet } from "@diegetic/testing/open-wallet";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { RedisConnection } from "../connection.ts";
import { walletKeys } from "../keys.ts";
import { UnexpectedReply } from "../reply.ts";
import { createMoneyCommands } from "./commands.ts";
import { TestWallet } from "./testing/wallet.ts";
import type { MoneyCommands } from "./types.ts";

let server: TestRedis;
let redis: RedisConnection;
let money: MoneyCommands;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectTestRedis(server.url);
  money = createMoneyCommands(redis);
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

describe("applyAccount", () => {
  it("moves the deposits of a wallet that is there, and never goes back", async () => {
    const advertiserId = newId("adv");
    const apply = (version: number, depositedMillicents: number) =>
      money.applyAccount({ advertiserId, version, depositedMillicents });
    expect(await apply(2, 1_000)).toBe("unknown_wallet");
    expect(await money.readAccount(advertiserId)).toBeNull();
    await openWallet(money, {
      advertiserId,
      version: 2,
      depositedMillicents: 1_000,
      spentMillicents: 300,
      impressions: 3,
    });
    const made = await money.readAccount(advertiserId);
    expect(made).toEqual({
      version: 2,
      depositedMillicents: 1_000,
      spentMillicents: 300,
      heldMillicents: 0,
      impressions: 3,
      epoch: 0,
    });
    expect(await apply(2, 1_000)).toBe("applied");
    expect(await apply(1, 500)).toBe("older");
    expect(await money.readAccount(advertiserId)).toEqual(made);
    expect(await apply(3, 2_000)).toBe("applied");
    expect(await money.readAccount(advertiserId)).toEqual({
      ...made,
      version: 3,
      depositedMillicents: 2_000,
    });
  });

  it("compares versions as numbers", async () => {
    const wallet = await TestWallet.open(money, redis, { version: 9 });
    const { advertiserId } = wallet;
    const account = { advertiserId, version: 9, depositedMillicents: 1 };
    for (const version of [9, 10, 100]) {
      expect(await money.applyAccount({ ...account, version })).toBe("applied");
      expect(await money.applyCampaign(wallet.campaign({ version }))).toBe("applied");
    }
    expect(await money.applyAccount({ ...account, version: 99 })).toBe("older");
    expect(await money.applyCampaign(wallet.campaign({ version: 99 }))).toBe("older");
    expect(await money.reserve(wallet.request({}, { campaignVersion: 99 }))).toMatchObject({
      reason: "stale_version",
    });
  });

  it.each([-1, 1.5, Number.NaN, 2 ** 53])("refuses %d millicents", async (depositedMillicents) => {
    const account = { advertiserId: newId("adv"), version: 1, depositedMillicents };
    await expect(money.applyAccount(account)).rejects.toThrow(RangeError);
  });
});

describe("applyCampaign", () => {
  it("makes the campaign from its seed, later only moves what management owns, and never goes back", async () => {
    const wallet = new TestWallet(money, redis);
    const seed = { spentMillicents: 300, impressions: 3, day: "2026-01-31", daySpentMillicents: 100 };
    expect(await money.applyCampaign(wallet.campaign({ version: 2, seed }))).toBe("unknown_wallet");
    expect(await money.readCampaign(wallet.advertiserId, wallet.campaignId)).toBeNull();
    await openWallet(money, { advertiserId: wallet.advertiserId, version: 1, depositedMillicents: 1 });
    expect(await money.applyCampaign(wallet.campaign({ version: 2, seed }))).toBe("applied");
    const made = {
      version: 2,
      status: "active",
      budgetMillicents: 1_000_000,
      ceilingMillicents: null,
      dailyCapMillicents: null,
      spentMillicents: 300,
      heldMillicents: 0,
      day: "2026-01-31",
      daySpentMillicents: 100,
      impressions: 3,
    };
    const read = () => money.readCampaign(wallet.advertiserId, wallet.campaignId);
    expect(await read()).toEqual(made);
    expect(await money.applyCampaign(wallet.campaign({ version: 1, status: "paused" }))).toBe("older");
    expect(await read()).toEqual(made);
    const newer = wallet.campaign({
      version: 3,
      status: "draft",
      budgetMillicents: 5,
      dailyCapMillicents: 4,
    });
    expect(await money.applyCampaign(newer)).toBe("applied");
    expect(await money.applyCampaign(newer)).toBe("applied");
    expect(await read()).toEqual({
      ...made,
      version: 3,
      status: "draft",
      budgetMillicents: 5,
      dailyCapMillicents: 4,
    });
  });

  it("asks for the seed of a campaign that is new, and of no other", async () => {
    const wallet = await TestWallet.open(money, redis);
    const other = wallet.campaign({ campaignId: newId("camp"), seed: null });
    expect(await money.applyCampaign(other)).toBe("unknown_campaign");
    expect(await money.readCampaign(wallet.advertiserId, other.campaignId)).toBeNull();
    expect(await money.applyCampaign(wallet.campaign({ version: 2, seed: null }))).toBe("applied");
    expect(await money.readCampaign(wallet.advertiserId, wallet.campaignId)).toMatchObject({ version: 2 });
  });

  it("does not take a day that is none", async () => {
    const wallet = new TestWallet(money, redis);
    const seed = { spentMillicents: 0, impressions: 0, day: "today", daySpentMillicents: 0 };
    await expect(money.applyCampaign(wallet.campaign({ seed }))).rejects.toThrow("YYYY-MM-DD");
  });
});

describe("setBudgetCeiling", () => {
  it("stops holds and charges at the ceiling until a newer campaign arrives", async () => {
    const wallet = await TestWallet.open(money, redis);
    const { advertiserId, campaignId } = wallet;
    await wallet.hold();
    await wallet.hold();
    expect(await money.setBudgetCeiling(advertiserId, campaignId, 1_500)).toEqual({ outcome: "ok" });
    expect(await money.setBudgetCeiling(advertiserId, campaignId, 1_500)).toEqual({ outcome: "ok" });
    expect(await money.reserve(wallet.request({ price_millicents: 1 }))).toMatchObject({ reason: "budget" });
    expect((await wallet.commit()).outcome).toBe("charged");
    expect(await wallet.commit()).toEqual({ outcome: "refused", reason: "budget" });
    await money.applyCampaign(wallet.campaign());
    expect((await wallet.totals()).campaign.ceilingMillicents).toBe(1_500);
    await money.applyCampaign(wallet.campaign({ version: 2, budgetMillicents: 2_000 }));
    expect((await wallet.totals()).campaign.ceilingMillicents).toBeNull();
    expect((await wallet.commit()).outcome).toBe("charged");
  });

  it("is refused below what is spent", async () => {
    const wallet = await TestWallet.open(money, redis);
    const { advertiserId, campaignId } = wallet;
    await wallet.hold();
    await wallet.commit();
    const ceiling = (millicents: number) => money.setBudgetCeiling(advertiserId, campaignId, millicents);
    expect(await ceiling(999)).toEqual({ outcome: "spent", spentMillicents: 1_000 });
    expect((await wallet.totals()).campaign.ceilingMillicents).toBeNull();
    expect(await ceiling(1_000)).toEqual({ outcome: "ok" });
    expect((await wallet.totals()).campaign.ceilingMillicents).toBe(1_000);
    expect(await money.setBudgetCeiling(advertiserId, "camp_other", 5)).toEqual({
      outcome: "unknown_wallet",
    });
  });

  it("does not raise a budget", async () => {
    const wallet = await TestWallet.open(money, redis, { budgetMillicents: 1_000 });
    await money.setBudgetCeiling(wallet.advertiserId, wallet.campaignId, 5_000);
    await wallet.hold();
    expect(await money.reserve(wallet.request())).toMatchObject({ reason: "budget" });
  });
});

describe("reading totals", () => {
  it("counts the committed impressions of many advertisers", async () => {
    const wallet = await TestWallet.open(money, redis);
    const idle = await TestWallet.open(money, redis);
    const unknown = newId("adv");
    await wallet.hold();
    await wallet.commit();
    const counts = await money.committedCounts([wallet.advertiserId, idle.advertiserId, unknown]);
    expect([...counts]).toEqual([
      [wallet.advertiserId, 1],
      [idle.advertiserId, 0],
      [unknown, null],
    ]);
    await expect(money.committedCounts(Array.from({ length: 1_001 }, () => "adv_1"))).rejects.toThrow("1000");
  });

  it("throws on a hash that lacks fields or has other text than numbers in them", async () => {
    const wallet = await TestWallet.open(money, redis);
    const account = walletKeys.account(wallet.advertiserId);
    await redis.hset(account, "held", "1e+15");
    await expect(money.readAccount(wallet.advertiserId)).rejects.toThrow(UnexpectedReply);
    await redis.hdel(account, "held");
    await expect(money.readAccount(wallet.advertiserId)).rejects.toThrow(UnexpectedReply);
    await expect(money.reserve(wallet.request())).rejects.toThrow("nil");
  });
});
