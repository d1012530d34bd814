import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { RedisConnection } from "../connection.ts";
import { walletKeys } from "../keys.ts";
import { isCapLost, isCapStale } from "./caps.ts";
import { createMoneyCommands } from "./commands.ts";
import { holdOf } from "./holds.ts";
import { HOLD_TTL_MS, SESSION_IDLE_MS, TestWallet, today } from "./testing/wallet.ts";
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

describe("reserve", () => {
  it("holds the price and returns when the hold lapses", async () => {
    const wallet = await TestWallet.open(money, redis);
    const before = Date.now();
    const result = await money.reserve(wallet.request({ price_millicents: 2_500 }));
    expect(result).toEqual({
      outcome: "held",
      creativeId: wallet.creativeId,
      timesSeen: 0,
      validFromEpoch: 0,
      lapsesAtMs: expect.any(Number),
      capSinceMs: expect.any(Number),
    });
    if (result.outcome !== "held") throw new Error("refused");
    expect(Math.abs(result.lapsesAtMs - before - HOLD_TTL_MS)).toBeLessThan(60_000);
    expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: 2_500 });
  });

  it("answers a repeated match the same and holds once", async () => {
    const wallet = await TestWallet.open(money, redis);
    await wallet.hold({ session_key: "session" });
    const request = wallet.request({ session_key: "session" });
    const first = await money.reserve(request);
    expect(await money.reserve(request)).toEqual(first);
    expect(first).toMatchObject({ outcome: "held", timesSeen: 1, capSinceMs: expect.any(Number) });
    expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: 2_000 });
    expect(await redis.zcard(walletKeys.holds(wallet.advertiserId))).toBe(2);
  });

  it("answers a repeated match the same after its hold ended, and refuses one with a short entry", async () => {
    const wallet = await TestWallet.open(money, redis);
    const end = async (isCarried: boolean, isCharged: boolean) => {
      const request = wallet.request({}, { isCarried });
      const first = await money.reserve(request);
      if (isCharged) await wallet.commit();
      else {
        await wallet.age(request.match, HOLD_TTL_MS + 1);
        expect(await money.release(holdOf(request.match), "lapsed")).toBe("released");
      }
      const { spent, held } = await wallet.spentAndHeld();
      const again = await money.reserve(request);
      expect(await wallet.spentAndHeld()).toEqual({ spent, held });
      return { first, again };
    };
    const charged = await end(true, true);
    expect(charged.again).toEqual(charged.first);
    expect((await end(false, false)).again).toMatchObject({ outcome: "held" });
    expect((await end(true, false)).again).toMatchObject({ outcome: "refused", reason: "creative_cap" });
  });

  it("refuses a wallet or a campaign that is not there", async () => {
    const empty = new TestWallet(money, redis);
    const refusal = { outcome: "refused", reason: "unknown_wallet", capSinceMs: null, lasts: null };
    expect(await money.reserve(empty.request())).toEqual(refusal);
    const wallet = await TestWallet.open(money, redis);
    expect(await money.reserve(wallet.request({ campaign_id: "camp_other" }))).toEqual(refusal);
    await redis.del(walletKeys.account(wallet.advertiserId));
    expect(await money.reserve(wallet.request())).toEqual(refusal);
  });

  it.each([
    ["stale_version", { version: 2 }],
    ["not_active", { status: "paused" as const }],
    ["not_active", { status: "draft" as const }],
    ["balance", { depositedMillicents: 999 }],
    ["budget", { budgetMillicents: 999 }],
    ["daily_cap", { dailyCapMillicents: 999 }],
  ])("refuses with %s", async (reason, state) => {
    const wallet = await TestWallet.open(money, redis, state);
    expect(await money.reserve(wallet.request())).toMatchObject({
      outcome: "refused",
      reason,
      capSinceMs: null,
    });
    expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: 0 });
  });

  it.each([
    ["balance", { depositedMillicents: 1_999 }, { accountVersion: 1 }],
    ["budget", { budgetMillicents: 1_999 }, "version"],
    ["daily_cap", { dailyCapMillicents: 1_999 }, expect.any(Number)],
  ])("says whether the end of a hold can change a lack of %s", async (reason, state, lasts) => {
    const wallet = await TestWallet.open(money, redis, state);
    await wallet.hold();
    expect(await money.reserve(wallet.request())).toMatchObject({ reason, lasts: null });
    await wallet.commit();
    expect(await money.reserve(wallet.request())).toMatchObject({ reason, lasts });
  });

  it("takes a ceiling for something that passes", async () => {
    const wallet = await TestWallet.open(money, redis, { budgetMillicents: 3_000 });
    await wallet.hold();
    await wallet.commit();
    await money.setBudgetCeiling(wallet.advertiserId, wallet.campaignId, 1_000);
    expect(await money.reserve(wallet.request())).toMatchObject({ reason: "budget", lasts: null });
  });

  it("refuses a caller that knows a newer version of the campaign, until Redis has that version", async () => {
    const wallet = await TestWallet.open(money, redis);
    const request = wallet.request({}, { campaignVersion: 2 });
    const refusal = { outcome: "refused", reason: "behind", capSinceMs: null, lasts: null };
    expect(await money.reserve(request)).toEqual(refusal);
    expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: 0 });
    await money.applyCampaign(wallet.campaign({ version: 2 }));
    expect(await money.reserve(request)).toMatchObject({ outcome: "held" });
  });

  it.each([{ depositedMillicents: 3_000 }, { budgetMillicents: 3_000 }, { dailyCapMillicents: 3_000 }])(
    "fills %j to the last millicent",
    async (state) => {
      const wallet = await TestWallet.open(money, redis, state);
      for (let i = 0; i < 3; i++) await wallet.hold();
      expect(await money.reserve(wallet.request({ price_millicents: 1 }))).toMatchObject({
        outcome: "refused",
        lasts: null,
      });
    },
  );

  it("counts open holds and what is spent against the daily cap, but not what was spent on another day", async () => {
    const wallet = await TestWallet.open(money, redis, { dailyCapMillicents: 2_000 });
    await wallet.hold();
    await wallet.commit();
    await wallet.hold();
    expect(await money.reserve(wallet.request())).toMatchObject({ reason: "daily_cap" });
    await redis.hset(walletKeys.campaign(wallet.advertiserId, wallet.campaignId), "day", "2001-02-03");
    await wallet.hold();
    expect(await money.reserve(wallet.request())).toMatchObject({ reason: "daily_cap" });
  });

  it("keeps counting when the clock has gone back a day", async () => {
    const wallet = await TestWallet.open(money, redis, {
      dailyCapMillicents: 2_000,
      seed: { spentMillicents: 0, impressions: 0, day: "2999-01-01", daySpentMillicents: 1_500 },
    });
    expect(await money.reserve(wallet.request())).toMatchObject({ reason: "daily_cap" });
  });

  it("is exact with the largest amounts", async () => {
    const most = Number.MAX_SAFE_INTEGER;
    const wallet = await TestWallet.open(money, redis, { depositedMillicents: most, budgetMillicents: most });
    await wallet.hold({ price_millicents: most - 1 });
    expect((await wallet.totals()).account.heldMillicents).toBe(most - 1);
    expect(await money.reserve(wallet.request({ price_millicents: 2 }))).toMatchObject({ reason: "balance" });
    await wallet.hold({ price_millicents: 1 });
    await wallet.commit();
    await wallet.commit();
    expect((await wallet.totals()).campaign).toMatchObject({
      spentMillicents: most,
      daySpentMillicents: most,
    });
    expect(await redis.hget(walletKeys.campaign(wallet.advertiserId, wallet.campaignId), "day_spent")).toBe(
      String(most),
    );
  });

  it("refuses wrong arguments before they reach a script", async () => {
    const wallet = await TestWallet.open(money, redis);
    const wrong = [
      wallet.request({ price_millicents: 1.5 }),
      wallet.request({ price_millicents: 0 }),
      wallet.request({ price_millicents: -5 }),
      wallet.request({ match_id: "op:imp_1" }),
      wallet.request({ session_key: "a|b" }),
      wallet.request({ country_code: "x".repeat(20_000) }),
      wallet.request({}, { creatives: [] }),
      wallet.request({}, { holdTtlMs: Number.NaN }),
    ];
    for (const request of wrong) await expect(money.reserve(request)).rejects.toThrow(RangeError);
    expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: 0 });
  });

  it("takes the day of Redis from the calendar", async () => {
    const wallet = await TestWallet.open(money, redis, {
      seed: { spentMillicents: 0, impressions: 0, day: "2000-01-01", daySpentMillicents: 7 },
    });
    await wallet.hold();
    await wallet.commit();
    expect((await wallet.totals()).campaign).toMatchObject({ day: today(), daySpentMillicents: 1_000 });
  });
});

describe("choice of the creative", () => {
  const creatives = [
    { creativeId: "crt_a", maxUses: 2 },
    { creativeId: "crt_b", maxUses: 1 },
    { creativeId: "crt_c", maxUses: 2 },
  ];

  it("gives each creative as often as its cap says, the least seen first, and counts how often it was served", async () => {
    const wallet = await TestWallet.open(money, redis);
    const seen: string[] = [];
    for (let i = 0; i < 5; i++) {
      const result = await money.reserve(wallet.request({ session_key: "s" }, { creatives }));
      if (result.outcome !== "held") throw new Error(result.reason);
      seen.push(`${result.creativeId} ${result.timesSeen}`);
    }
    expect(seen.slice(0, 3).sort()).toEqual(["crt_a 0", "crt_b 0", "crt_c 0"]);
    expect(seen.slice(3).sort()).toEqual(["crt_a 1", "crt_c 1"]);
    expect(await money.reserve(wallet.request({ session_key: "s" }, { creatives }))).toEqual({
      outcome: "refused",
      reason: "creative_cap",
      capSinceMs: expect.any(Number),
      lasts: null,
    });
  });

  it("rotates equal creatives over sessions", async () => {
    const wallet = await TestWallet.open(money, redis);
    const seen = [];
    for (let i = 0; i < 6; i++) {
      const result = await money.reserve(wallet.request({}, { creatives }));
      seen.push(result.outcome === "held" ? result.creativeId : result.reason);
    }
    expect(seen).toEqual(["crt_a", "crt_b", "crt_c", "crt_a", "crt_b", "crt_c"]);
  });

  it("counts a session apart in every game", async () => {
    const wallet = await TestWallet.open(money, redis);
    const once = { creatives: [{ creativeId: wallet.creativeId, maxUses: 1 }] };
    await wallet.hold({ session_key: "s" }, once);
    await wallet.hold({ session_key: "s", game_id: "another" }, once);
    expect(await money.reserve(wallet.request({ session_key: "s" }, once))).toMatchObject({
      reason: "creative_cap",
    });
  });
});

describe("caps that expired within their session", () => {
  const creatives = ["crt_a", "crt_b"].map((creativeId) => ({ creativeId, maxUses: 3 }));
  const session = { session_key: "s" };

  it("start each creative at the session's earlier ads of the advertiser", async () => {
    const wallet = await TestWallet.open(money, redis);
    await wallet.hold(session, { creatives });
    const earlier = { matchIds: ["mat_a", "mat_b"], sinceMs: Date.now() - SESSION_IDLE_MS };
    const again = () => money.reserve(wallet.request(session, { creatives, earlier }));
    expect(isCapLost(Date.now(), earlier, SESSION_IDLE_MS)).toBe(true);
    expect(isCapLost(earlier.sinceMs + SESSION_IDLE_MS / 2, earlier, SESSION_IDLE_MS)).toBe(false);
    expect(isCapLost(Date.now(), null, SESSION_IDLE_MS)).toBe(false);
    expect(await again()).toMatchObject({ outcome: "held", timesSeen: 2, capSinceMs: earlier.sinceMs });
    expect(await again()).toMatchObject({ outcome: "held", timesSeen: 2 });
    expect(await again()).toMatchObject({ reason: "creative_cap" });
    expect(await money.reserve(wallet.request(session, { creatives }))).toMatchObject({
      reason: "creative_cap",
    });
  });
});

describe("caps of an earlier session", () => {
  const once = [{ creativeId: "crt_a", maxUses: 1 }];

  it("are forgotten once the session's start is known, and only when they are older", async () => {
    const wallet = await TestWallet.open(money, redis);
    const earlier = await wallet.hold({ session_key: "s" }, { creatives: once });
    const refused = await money.reserve(wallet.request({ session_key: "s" }, { creatives: once }));
    expect(refused).toMatchObject({ reason: "creative_cap" });
    const since = refused.capSinceMs ?? Number.NaN;
    const edge = since + SESSION_IDLE_MS / 2;
    expect(isCapStale(since, edge, SESSION_IDLE_MS)).toBe(false);
    expect(isCapStale(since, edge + 1, SESSION_IDLE_MS)).toBe(true);
    expect(isCapStale(null, edge + 1, SESSION_IDLE_MS)).toBe(false);
    const again = (sessionStartedMs: number) =>
      money.reserve(wallet.request({ session_key: "s" }, { creatives: once, sessionStartedMs }));
    expect(await again(edge)).toMatchObject({ reason: "creative_cap", capSinceMs: since });
    expect(await again(edge + 1)).toMatchObject({ outcome: "held", timesSeen: 0 });

    // What the earlier session holds has nothing to give back to the new one.
    expect(await money.release(holdOf(earlier), "cancelled")).toBe("released");
    expect(await money.reserve(wallet.request({ session_key: "s" }, { creatives: once }))).toMatchObject({
      reason: "creative_cap",
    });
  });
});
