import { newId } from "@diegetic/contracts";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { openSlot } from "../../../../tests/helpers/open-slot.ts";
import { startTestRedis, type TestRedis } from "../../../../tests/helpers/redis.ts";
import { connectRedis, type RedisConnection } from "../connection.ts";
import { advertiserKeys } from "../keys.ts";
import { UnexpectedReply } from "../reply.ts";
import { createMoneyCommands } from "./commands.ts";
import { TestSlot } from "./testing/slot.ts";
import type { MoneyCommands } from "./types.ts";

let server: TestRedis;
let redis: RedisConnection;
let money: MoneyCommands;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, { name: "totals-test" });
  money = createMoneyCommands(redis);
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

describe("applyAccount", () => {
  it("moves the deposits of a slot that is there, and never goes back", async () => {
    const advertiserId = newId("adv");
    const apply = (version: number, depositedMillicents: number) =>
      money.applyAccount({ advertiserId, version, depositedMillicents });
    expect(await apply(2, 1_000)).toBe("unknown_slot");
    expect(await money.readAccount(advertiserId)).toBeNull();
    await openSlot(money, {
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
    const slot = await TestSlot.open(money, redis, { version: 9 });
    const { advertiserId } = slot;
    const account = { advertiserId, version: 9, depositedMillicents: 1 };
    for (const version of [9, 10, 100]) {
      expect(await money.applyAccount({ ...account, version })).toBe("applied");
      expect(await money.applyCampaign(slot.campaign({ version }))).toBe("applied");
    }
    expect(await money.applyAccount({ ...account, version: 99 })).toBe("older");
    expect(await money.applyCampaign(slot.campaign({ version: 99 }))).toBe("older");
    expect(await money.reserve(slot.request({}, { campaignVersion: 99 }))).toMatchObject({
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
    const slot = new TestSlot(money, redis);
    const seed = { spentMillicents: 300, impressions: 3, day: "2026-01-31", daySpentMillicents: 100 };
    expect(await money.applyCampaign(slot.campaign({ version: 2, seed }))).toBe("unknown_slot");
    expect(await money.readCampaign(slot.advertiserId, slot.campaignId)).toBeNull();
    await openSlot(money, { advertiserId: slot.advertiserId, version: 1, depositedMillicents: 1 });
    expect(await money.applyCampaign(slot.campaign({ version: 2, seed }))).toBe("applied");
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
    const read = () => money.readCampaign(slot.advertiserId, slot.campaignId);
    expect(await read()).toEqual(made);
    expect(await money.applyCampaign(slot.campaign({ version: 1, status: "paused" }))).toBe("older");
    expect(await read()).toEqual(made);
    const newer = slot.campaign({ version: 3, status: "draft", budgetMillicents: 5, dailyCapMillicents: 4 });
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

  it("does not take a day that is none", async () => {
    const slot = new TestSlot(money, redis);
    const seed = { spentMillicents: 0, impressions: 0, day: "today", daySpentMillicents: 0 };
    await expect(money.applyCampaign(slot.campaign({ seed }))).rejects.toThrow("YYYY-MM-DD");
  });
});

describe("setBudgetCeiling", () => {
  it("stops holds and charges at the ceiling until a newer campaign arrives", async () => {
    const slot = await TestSlot.open(money, redis);
    const { advertiserId, campaignId } = slot;
    await slot.hold();
    await slot.hold();
    expect(await money.setBudgetCeiling(advertiserId, campaignId, 1_500)).toEqual({ outcome: "ok" });
    expect(await money.setBudgetCeiling(advertiserId, campaignId, 1_500)).toEqual({ outcome: "ok" });
    expect(await money.reserve(slot.request({ price_millicents: 1 }))).toMatchObject({ reason: "budget" });
    expect((await slot.commit()).outcome).toBe("charged");
    expect(await slot.commit()).toEqual({ outcome: "refused", reason: "budget" });
    await money.applyCampaign(slot.campaign());
    expect((await slot.totals()).campaign.ceilingMillicents).toBe(1_500);
    await money.applyCampaign(slot.campaign({ version: 2, budgetMillicents: 2_000 }));
    expect((await slot.totals()).campaign.ceilingMillicents).toBeNull();
    expect((await slot.commit()).outcome).toBe("charged");
  });

  it("is refused below what is spent, and taken away by null", async () => {
    const slot = await TestSlot.open(money, redis);
    const { advertiserId, campaignId } = slot;
    await slot.hold();
    await slot.commit();
    const ceiling = (millicents: number | null) =>
      money.setBudgetCeiling(advertiserId, campaignId, millicents);
    expect(await ceiling(999)).toEqual({ outcome: "spent", spentMillicents: 1_000 });
    expect((await slot.totals()).campaign.ceilingMillicents).toBeNull();
    expect(await ceiling(1_000)).toEqual({ outcome: "ok" });
    expect(await ceiling(null)).toEqual({ outcome: "ok" });
    expect((await slot.totals()).campaign.ceilingMillicents).toBeNull();
    expect(await money.setBudgetCeiling(advertiserId, "camp_other", 5)).toEqual({ outcome: "unknown_slot" });
  });

  it("does not raise a budget", async () => {
    const slot = await TestSlot.open(money, redis, { budgetMillicents: 1_000 });
    await money.setBudgetCeiling(slot.advertiserId, slot.campaignId, 5_000);
    await slot.hold();
    expect(await money.reserve(slot.request())).toMatchObject({ reason: "budget" });
  });
});

describe("reading totals", () => {
  it("counts the committed impressions of many advertisers", async () => {
    const slot = await TestSlot.open(money, redis);
    const idle = await TestSlot.open(money, redis);
    const unknown = newId("adv");
    await slot.hold();
    await slot.commit();
    const counts = await money.committedCounts([slot.advertiserId, idle.advertiserId, unknown]);
    expect([...counts]).toEqual([
      [slot.advertiserId, 1],
      [idle.advertiserId, 0],
      [unknown, null],
    ]);
    await expect(money.committedCounts(Array.from({ length: 1_001 }, () => "adv_1"))).rejects.toThrow("1000");
  });

  it("throws on a hash that lacks fields or has other text than numbers in them", async () => {
    const slot = await TestSlot.open(money, redis);
    const account = advertiserKeys.account(slot.advertiserId);
    await redis.hset(account, "held", "1e+15");
    await expect(money.readAccount(slot.advertiserId)).rejects.toThrow(UnexpectedReply);
    await redis.hdel(account, "held");
    await expect(money.readAccount(slot.advertiserId)).rejects.toThrow(UnexpectedReply);
    await expect(money.reserve(slot.request())).rejects.toThrow("nil");
  });
});
