import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startTestRedis, type TestRedis } from "../../../../tests/helpers/redis.ts";
import { connectRedis, type RedisConnection } from "../connection.ts";
import { advertiserKeys } from "../keys.ts";
import { createMoneyCommands } from "./commands.ts";
import { holdOf } from "./holds.ts";
import { HOLD_TTL_MS, TestSlot } from "./testing/slot.ts";
import type { MoneyCommands } from "./types.ts";

const ONCE = { creatives: [{ creativeId: "crt_a", maxUses: 1 }] };

let server: TestRedis;
let redis: RedisConnection;
let money: MoneyCommands;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, { name: "release-test" });
  money = createMoneyCommands(redis);
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

describe("a cancelled match", () => {
  it("gives back the money, the appearance and the hook, as if it had never been", async () => {
    const slot = await TestSlot.open(money, redis);
    const match = await slot.hold({ session_key: "s" }, ONCE);
    expect(await money.release(holdOf(match), "cancelled")).toBe("released");
    expect(await slot.spentAndHeld()).toEqual({ spent: 0, held: 0 });
    expect(await redis.zcard(advertiserKeys.holds(slot.advertiserId))).toBe(0);
    expect((await money.listGivebacks(slot.advertiserId, 10)).items).toEqual([]);
    expect(await money.reserve(slot.request({ session_key: "s" }, ONCE))).toMatchObject({
      outcome: "held",
      timesSeen: 0,
    });
  });

  it("answers a repetition the same and gives back once", async () => {
    const slot = await TestSlot.open(money, redis);
    await slot.hold();
    const match = await slot.hold();
    expect(await money.release(holdOf(match), "cancelled")).toBe("released");
    expect(await money.release(holdOf(match), "cancelled")).toBe("released");
    expect(await slot.spentAndHeld()).toEqual({ spent: 0, held: 1_000 });
    expect(await money.release(holdOf(match), "lapsed")).toBe("not_open");
  });

  it("may be taken anew by the same match id", async () => {
    const slot = await TestSlot.open(money, redis);
    const request = slot.request();
    await money.reserve(request);
    await money.release(holdOf(request.match), "cancelled");
    expect(await money.reserve(request)).toMatchObject({ outcome: "held" });
    expect(await slot.spentAndHeld()).toEqual({ spent: 0, held: 1_000 });
    expect((await slot.commit({ matchId: request.match.match_id })).outcome).toBe("charged");
    expect(await money.release(holdOf(request.match), "cancelled")).toBe("not_open");
  });
});

describe("a lapsed match", () => {
  it("is not released before its time", async () => {
    const slot = await TestSlot.open(money, redis);
    const match = await slot.hold();
    expect(await money.release(holdOf(match), "lapsed")).toBe("not_due");
    expect(await slot.spentAndHeld()).toEqual({ spent: 0, held: 1_000 });
  });

  it("gives back money and appearance, keeps the hook and asks for the place in the session", async () => {
    const slot = await TestSlot.open(money, redis);
    const match = await slot.hold({ session_key: "s" }, ONCE);
    await slot.age(match, HOLD_TTL_MS);
    expect(await money.release(holdOf(match), "lapsed")).toBe("released");
    expect(await money.release(holdOf(match), "lapsed")).toBe("released");
    expect(await money.release(holdOf(match), "cancelled")).toBe("not_open");
    expect(await slot.spentAndHeld()).toEqual({ spent: 0, held: 0 });
    const giveback = { matchId: match.match_id, gameId: slot.gameId, sessionKey: "s" };
    expect(await money.listGivebacks(slot.advertiserId, 10)).toEqual({
      items: [giveback],
      damaged: [],
      cursor: null,
    });
    expect(await money.ackGivebacks(slot.advertiserId, [match.match_id])).toBe(1);
    expect(await money.release(holdOf(match), "lapsed")).toBe("released");
    expect((await money.listGivebacks(slot.advertiserId, 10)).items).toEqual([]);
    expect(await money.reserve(slot.request({ session_key: "s" }, ONCE))).toMatchObject({
      outcome: "held",
      timesSeen: 1,
    });
    expect(await money.reserve(slot.request({ session_key: "s" }, ONCE))).toMatchObject({
      reason: "creative_cap",
    });
  });

  it("gives its money back even when the match has been forgotten meanwhile", async () => {
    const slot = await TestSlot.open(money, redis);
    const match = await slot.hold();
    await redis.del(advertiserKeys.matches(slot.advertiserId, slot.campaignId, slot.gameId));
    expect(await money.release(holdOf(match), "lapsed")).toBe("not_due");
    expect(await money.release(holdOf(match), "cancelled")).toBe("not_open");
    const holds = advertiserKeys.holds(slot.advertiserId);
    for (const member of await redis.zrange(holds, "0", "-1")) await redis.zadd(holds, 1, member);
    const [lapsed] = (await money.listLapsed(slot.advertiserId, 10)).holds;
    expect(lapsed).toEqual({ ...holdOf(match), matchedAtMs: null, lapsesAtMs: 1 });
    if (lapsed === undefined) throw new Error("not listed");
    expect(await money.release(lapsed, "lapsed")).toBe("released");
    expect(await money.release(lapsed, "lapsed")).toBe("not_open");
    expect(await slot.spentAndHeld()).toEqual({ spent: 0, held: 0 });
    expect((await money.listGivebacks(slot.advertiserId, 10)).items).toHaveLength(1);
  });
});

describe("release", () => {
  it("leaves a charged match and an unknown one alone", async () => {
    const slot = await TestSlot.open(money, redis);
    const match = await slot.hold();
    await slot.commit();
    await slot.age(match, HOLD_TTL_MS);
    expect(await money.release(holdOf(match), "lapsed")).toBe("not_open");
    expect(await money.release(holdOf(match), "cancelled")).toBe("not_open");
    expect(await money.release(holdOf(slot.match()), "cancelled")).toBe("not_open");
    expect(await money.release(holdOf(slot.match()), "lapsed")).toBe("not_open");
    expect(await slot.spentAndHeld()).toEqual({ spent: 1_000, held: 0 });
  });

  it("does not make a slot that is not there", async () => {
    const slot = new TestSlot(money, redis);
    expect(await money.release(holdOf(slot.match()), "cancelled")).toBe("unknown_slot");
    expect(await redis.exists(advertiserKeys.account(slot.advertiserId))).toBe(0);
  });

  it("gives the advertiser his money back although the campaign is gone from the slot, and no more of it than is held", async () => {
    const slot = await TestSlot.open(money, redis);
    const [first, second] = [await slot.hold(), await slot.hold()];
    for (const match of [first, second]) await slot.age(match, HOLD_TTL_MS);
    await redis.del(advertiserKeys.campaign(slot.advertiserId, slot.campaignId));
    expect(await money.release(holdOf(first), "lapsed")).toBe("released");
    expect(await money.readAccount(slot.advertiserId)).toMatchObject({ heldMillicents: 1_000 });
    expect(await money.readCampaign(slot.advertiserId, slot.campaignId)).toBeNull();
    await money.applyCampaign(slot.campaign());
    expect(await money.release(holdOf(second), "lapsed")).toBe("released");
    expect(await slot.spentAndHeld()).toEqual({ spent: 0, held: 0 });
  });

  it("fails when the hold is said to be of another session", async () => {
    const slot = await TestSlot.open(money, redis);
    const match = await slot.hold();
    const other = { ...holdOf(match), sessionKey: "other" };
    await expect(money.release(other, "cancelled")).rejects.toThrow("another session");
    expect(await slot.spentAndHeld()).toEqual({ spent: 0, held: 1_000 });
  });
});
