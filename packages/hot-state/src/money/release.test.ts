import type { MatchFacts } from "@diegetic/contracts";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { RedisConnection } from "../connection.ts";
import { walletKeys } from "../keys.ts";
import { createMoneyCommands } from "./commands.ts";
import { holdOf } from "./holds.ts";
import { HOLD_TTL_MS, TestWallet } from "./testing/wallet.ts";
import type { MoneyCommands } from "./types.ts";

const ONCE = { creatives: [{ creativeId: "crt_a", maxUses: 1 }] };

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

describe("a cancelled match", () => {
  it("returns the money, the appearance and the hook, as if it had never been", async () => {
    const wallet = await TestWallet.open(money, redis);
    const match = await wallet.hold({ session_key: "s" }, ONCE);
    expect(await money.release(holdOf(match), "cancelled")).toBe("released");
    expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: 0 });
    expect(await redis.zcard(walletKeys.holds(wallet.advertiserId))).toBe(0);
    expect((await money.listSessionReleases(wallet.advertiserId, 10)).items).toEqual([]);
    expect(await money.reserve(wallet.request({ session_key: "s" }, ONCE))).toMatchObject({
      outcome: "held",
      timesSeen: 0,
    });
  });

  it("answers a repetition the same and returns it once", async () => {
    const wallet = await TestWallet.open(money, redis);
    await wallet.hold();
    const match = await wallet.hold();
    expect(await money.release(holdOf(match), "cancelled")).toBe("released");
    expect(await money.release(holdOf(match), "cancelled")).toBe("released");
    expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: 1_000 });
    expect(await money.release(holdOf(match), "lapsed")).toBe("not_open");
  });

  it("may be taken anew by the same match id", async () => {
    const wallet = await TestWallet.open(money, redis);
    const request = wallet.request();
    await money.reserve(request);
    await money.release(holdOf(request.match), "cancelled");
    expect(await money.reserve(request)).toMatchObject({ outcome: "held" });
    expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: 1_000 });
    expect((await wallet.commit({ matchId: request.match.match_id })).outcome).toBe("charged");
    expect(await money.release(holdOf(request.match), "cancelled")).toBe("not_open");
  });
});

describe("a lapsed match", () => {
  it("is not released before its time", async () => {
    const wallet = await TestWallet.open(money, redis);
    const match = await wallet.hold();
    expect(await money.release(holdOf(match), "lapsed")).toBe("not_due");
    expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: 1_000 });
  });

  it("never brings the hook back that its session may have read", async () => {
    const wallet = await TestWallet.open(money, redis);
    const session = { session_key: "s" };
    const lapse = async (match: MatchFacts) => {
      await wallet.age(match, HOLD_TTL_MS);
      expect(await money.release(holdOf(match), "lapsed")).toBe("released");
    };
    await lapse(await wallet.hold(session));
    expect(await wallet.commit()).toMatchObject({ outcome: "charged" });
    const second = wallet.request(session);
    expect(await money.reserve(second)).toMatchObject({ outcome: "held", timesSeen: 1 });
    expect(await money.release(holdOf(second.match), "cancelled")).toBe("released");
    const third = wallet.request(session);
    expect(await money.reserve(third)).toMatchObject({ outcome: "held", timesSeen: 1 });
    await lapse(third.match);
    expect(await money.reserve(wallet.request(session))).toMatchObject({ outcome: "held", timesSeen: 2 });
  });

  it("leaves no count of a creative with one line", async () => {
    const wallet = await TestWallet.open(money, redis);
    const match = await wallet.hold({ session_key: "s" }, ONCE);
    await wallet.age(match, HOLD_TTL_MS);
    expect(await money.release(holdOf(match), "lapsed")).toBe("released");
    expect(await redis.exists(walletKeys.cap(wallet.advertiserId, wallet.gameId, "s"))).toBe(0);
  });

  it("returns money and appearance and records the session release", async () => {
    const wallet = await TestWallet.open(money, redis);
    const match = await wallet.hold({ session_key: "s" }, ONCE);
    await wallet.age(match, HOLD_TTL_MS);
    expect(await money.release(holdOf(match), "lapsed")).toBe("released");
    expect(await money.release(holdOf(match), "lapsed")).toBe("released");
    expect(await money.release(holdOf(match), "cancelled")).toBe("not_open");
    expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: 0 });
    const sessionRelease = { matchId: match.match_id, gameId: wallet.gameId, sessionKey: "s" };
    expect(await money.listSessionReleases(wallet.advertiserId, 10)).toEqual({
      items: [sessionRelease],
      damaged: [],
      cursor: null,
    });
    expect(await money.ackSessionReleases(wallet.advertiserId, [match.match_id])).toBe(1);
    expect(await money.release(holdOf(match), "lapsed")).toBe("released");
    expect((await money.listSessionReleases(wallet.advertiserId, 10)).items).toEqual([]);
    expect(await money.reserve(wallet.request({ session_key: "s" }, ONCE))).toMatchObject({
      outcome: "held",
      timesSeen: 0,
    });
    expect(await money.reserve(wallet.request({ session_key: "s" }, ONCE))).toMatchObject({
      reason: "creative_cap",
    });
  });

  it("gives its money back even when the match has been forgotten meanwhile", async () => {
    const wallet = await TestWallet.open(money, redis);
    const match = await wallet.hold();
    await redis.del(walletKeys.matches(wallet.advertiserId, wallet.campaignId, wallet.gameId));
    expect(await money.release(holdOf(match), "lapsed")).toBe("not_due");
    expect(await money.release(holdOf(match), "cancelled")).toBe("not_open");
    const holds = walletKeys.holds(wallet.advertiserId);
    for (const member of await redis.zrange(holds, "0", "-1")) await redis.zadd(holds, 1, member);
    const [lapsed] = (await money.listLapsed(wallet.advertiserId, 10)).holds;
    expect(lapsed).toEqual({ ...holdOf(match), matchedAtMs: null, lapsesAtMs: 1 });
    if (lapsed === undefined) throw new Error("not listed");
    expect(await money.release(lapsed, "lapsed")).toBe("released");
    expect(await money.release(lapsed, "lapsed")).toBe("not_open");
    expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: 0 });
    expect((await money.listSessionReleases(wallet.advertiserId, 10)).items).toHaveLength(1);
  });
});

describe("release", () => {
  it("leaves a charged match and an unknown one alone", async () => {
    const wallet = await TestWallet.open(money, redis);
    const match = await wallet.hold();
    await wallet.commit();
    await wallet.age(match, HOLD_TTL_MS);
    expect(await money.release(holdOf(match), "lapsed")).toBe("not_open");
    expect(await money.release(holdOf(match), "cancelled")).toBe("not_open");
    expect(await money.release(holdOf(wallet.match()), "cancelled")).toBe("not_open");
    expect(await money.release(holdOf(wallet.match()), "lapsed")).toBe("not_open");
    expect(await wallet.spentAndHeld()).toEqual({ spent: 1_000, held: 0 });
  });

  it("does not make a wallet that is not there", async () => {
    const wallet = new TestWallet(money, redis);
    expect(await money.release(holdOf(wallet.match()), "cancelled")).toBe("unknown_wallet");
    expect(await redis.exists(walletKeys.account(wallet.advertiserId))).toBe(0);
  });

  it("returns the money to the advertiser although the campaign is gone from the wallet, and no more of it than is held", async () => {
    const wallet = await TestWallet.open(money, redis);
    const [first, second] = [await wallet.hold(), await wallet.hold()];
    for (const match of [first, second]) await wallet.age(match, HOLD_TTL_MS);
    await redis.del(walletKeys.campaign(wallet.advertiserId, wallet.campaignId));
    expect(await money.release(holdOf(first), "lapsed")).toBe("released");
    expect(await money.readAccount(wallet.advertiserId)).toMatchObject({ heldMillicents: 1_000 });
    expect(await money.readCampaign(wallet.advertiserId, wallet.campaignId)).toBeNull();
    await money.applyCampaign(wallet.campaign());
    expect(await money.release(holdOf(second), "lapsed")).toBe("released");
    expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: 0 });
  });

  it("fails when the hold is said to be of another session", async () => {
    const wallet = await TestWallet.open(money, redis);
    const match = await wallet.hold();
    const other = { ...holdOf(match), sessionKey: "other" };
    await expect(money.release(other, "cancelled")).rejects.toThrow("another session");
    expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: 1_000 });
  });
});
