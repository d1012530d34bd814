import { newId } from "@diegetic/contracts";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { RedisConnection } from "../connection.ts";
import { chargedField, walletKeys } from "../keys.ts";
import { LeaseExpired } from "../snapshot/lease.ts";
import { createMoneyCommands } from "./commands.ts";
import type { CommitResult } from "./commit.ts";
import { holdOf } from "./holds.ts";
import { asReplay, HOLD_TTL_MS, TestWallet, today } from "./testing/wallet.ts";
import type { MoneyCommands } from "./types.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NO_MATCH = { outcome: "refused", reason: "no_match" };

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

function matchIdOf(result: CommitResult): string {
  return result.outcome === "charged" ? result.record.match.match_id : result.reason;
}

describe("commit", () => {
  it("charges nothing for a caller whose lease has expired by the clock of Redis", async () => {
    const wallet = await TestWallet.open(money, redis);
    const { match_id: matchId } = await wallet.hold();
    const [seconds] = await redis.time();
    const nowMs = Number(seconds) * 1_000;
    await expect(wallet.commit({ matchId, leaseExpiresMs: nowMs - 1 })).rejects.toThrow(LeaseExpired);
    expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: 1_000 });
    expect(await wallet.commit({ matchId, leaseExpiresMs: nowMs + 60_000 })).toMatchObject({
      outcome: "charged",
    });
  });

  it("turns the hold into a charge and writes the record to the outbox", async () => {
    const wallet = await TestWallet.open(money, redis);
    const match = await wallet.hold({ price_millicents: 2_500, country_code: null });
    const result = await wallet.commit({ matchId: match.match_id });
    expect(result).toEqual({
      outcome: "charged",
      replay: false,
      record: {
        impression_id: match.match_id.replace("mat_", "imp_"),
        creative_id: wallet.creativeId,
        recorded_at_ms: expect.any(Number),
        recovery_epoch: 0,
        match,
      },
    });
    if (result.outcome !== "charged") throw new Error(result.reason);
    expect(await wallet.spentAndHeld()).toEqual({ spent: 2_500, held: 0 });
    const { account, campaign } = await wallet.totals();
    expect([account.impressions, campaign.impressions, campaign.daySpentMillicents]).toEqual([1, 1, 2_500]);
    expect(campaign.day).toBe(new Date(result.record.recorded_at_ms).toISOString().slice(0, 10));
    expect(await money.listOutbox(wallet.advertiserId, 10)).toEqual({
      items: [result.record],
      damaged: [],
      cursor: null,
    });
    expect(await redis.zcard(walletKeys.holds(wallet.advertiserId))).toBe(0);
  });

  it("records a charge on the day on which it counts, also after the clock has gone back", async () => {
    const wallet = await TestWallet.open(money, redis, { dailyCapMillicents: 3_000 });
    for (let held = 0; held < 3; held++) await wallet.hold();
    const key = walletKeys.campaign(wallet.advertiserId, wallet.campaignId);
    const tomorrow = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);
    await redis.hset(key, "day", tomorrow, "day_spent", 1_000);
    const result = await wallet.commit({ operationId: "op_1" });
    if (result.outcome !== "charged") throw new Error(result.reason);
    expect(new Date(result.record.recorded_at_ms).toISOString()).toBe(`${tomorrow}T00:00:00.000Z`);
    expect((await wallet.totals()).campaign).toMatchObject({ day: tomorrow, daySpentMillicents: 2_000 });
    expect(await wallet.commit({ operationId: "op_1" })).toEqual(asReplay(result));
    expect(await wallet.commit()).toMatchObject({ outcome: "charged" });
    expect(await wallet.commit()).toEqual({ outcome: "refused", reason: "daily_cap" });
  });

  it("charges nothing of a capped campaign whose day is further ahead than tomorrow", async () => {
    const wallet = await TestWallet.open(money, redis, { dailyCapMillicents: 3_000 });
    const free = await TestWallet.open(money, redis);
    const later = new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10);
    for (const one of [wallet, free]) {
      await one.hold();
      await redis.hset(walletKeys.campaign(one.advertiserId, one.campaignId), "day", later);
    }
    expect(await wallet.commit()).toEqual({ outcome: "refused", reason: "daily_cap" });
    const before = Date.now();
    const charged = await free.commit();
    if (charged.outcome !== "charged") throw new Error(charged.reason);
    expect(Math.abs(charged.record.recorded_at_ms - before)).toBeLessThan(60_000);
  });

  it("keeps every text of the match as it was", async () => {
    const wallet = await TestWallet.open(money, redis);
    const gameId = 'a|b"\\\n{é🎮\ud800}%';
    const match = await wallet.hold({ game_id: gameId, affinity_score: 0.1 + 0.2, affinities: [] });
    const result = await wallet.commit({ gameId });
    expect(result).toMatchObject({ outcome: "charged", record: { match } });
    expect((await money.listOutbox(wallet.advertiserId, 10)).items).toMatchObject([{ match }]);
  });

  it("returns the first record to a retry with the same match", async () => {
    const wallet = await TestWallet.open(money, redis);
    const { match_id: matchId } = await wallet.hold();
    await wallet.hold();
    const first = await wallet.commit({ matchId });
    expect(await wallet.commit({ matchId })).toEqual(asReplay(first));
    expect(await wallet.spentAndHeld()).toEqual({ spent: 1_000, held: 1_000 });
    expect((await wallet.totals()).campaign.impressions).toBe(1);
  });

  it("returns the first record to a retry of the same operation without a match", async () => {
    const wallet = await TestWallet.open(money, redis);
    await wallet.hold();
    await wallet.hold();
    const first = await wallet.commit({ operationId: "op_1" });
    expect(await wallet.commit({ operationId: "op_1" })).toEqual(asReplay(first));
    const [record] = (await money.listOutbox(wallet.advertiserId, 10)).items;
    await money.ackOutbox(wallet.advertiserId, [record?.impression_id ?? ""]);
    expect(await wallet.commit({ operationId: "op_1" })).toEqual(asReplay(first));
    expect((await money.listOutbox(wallet.advertiserId, 10)).items).toEqual([]);
    expect(await wallet.spentAndHeld()).toEqual({ spent: 1_000, held: 1_000 });
  });

  it("names the operation of a request with a key in its record, and knows it for a day, also by its match", async () => {
    const wallet = await TestWallet.open(money, redis);
    const match = await wallet.hold();
    await wallet.hold();
    const keyed = { operationId: "op_1", isKeyed: true };
    await wallet.commit({ ...keyed, matchId: match.match_id });
    const { items } = await money.listOutbox(wallet.advertiserId, 10);
    expect(items.map((record) => record.operation_id)).toEqual(["op_1"]);
    const again = await wallet.commit(keyed);
    expect([matchIdOf(again), again]).toEqual([match.match_id, expect.objectContaining({ replay: true })]);
    expect(await wallet.spentAndHeld()).toEqual({ spent: 1_000, held: 1_000 });

    const key = walletKeys.matches(wallet.advertiserId, wallet.campaignId, wallet.gameId);
    const fields = (await redis.hget(key, match.match_id))?.split("|") ?? [];
    fields[8] = String(Number(fields[8]) - DAY_MS);
    await redis.hset(key, match.match_id, fields.join("|"));
    expect(await wallet.commit(keyed)).toMatchObject({ replay: false });
    expect(await wallet.spentAndHeld()).toEqual({ spent: 2_000, held: 0 });
  });

  it("remembers a charge for a day after it, even when its match was nearly a day old", async () => {
    const wallet = await TestWallet.open(money, redis);
    const match = await wallet.hold();
    await wallet.age(match, DAY_MS - 60_000);
    const first = await wallet.commit({ operationId: "op_1", isKeyed: true, matchId: match.match_id });
    expect(first.outcome).toBe("charged");
    const { advertiserId, campaignId, gameId } = wallet;
    const history = walletKeys.history(advertiserId, campaignId, gameId);
    const forgottenAtMs = async (field: string) => Number(await redis.zscore(history, field));
    expect(await forgottenAtMs(match.match_id)).toBeGreaterThan(Date.now() + DAY_MS);
    expect(await forgottenAtMs("op:op_1")).toBeGreaterThan(Date.now() + DAY_MS - 60_000);
  });

  it("takes the oldest unbilled match of the creative", async () => {
    const wallet = await TestWallet.open(money, redis);
    const other = { creatives: [{ creativeId: "crt_other", maxUses: 5 }] };
    const unrelated = await wallet.hold({}, other);
    const matches = [await wallet.hold(), await wallet.hold(), await wallet.hold()];
    for (const match of matches) expect(matchIdOf(await wallet.commit())).toBe(match.match_id);
    expect(await wallet.commit()).toEqual(NO_MATCH);
    expect(matchIdOf(await wallet.commit({ creativeId: "crt_other" }))).toBe(unrelated.match_id);
  });

  it("never mistakes one creative for another whose id begins alike", async () => {
    const wallet = await TestWallet.open(money, redis);
    await wallet.hold({}, { creatives: [{ creativeId: "crt_1", maxUses: 5 }] });
    for (const creativeId of ["crt_", "crt_10", "crt", "crt_1:", "crt_1:0", "", "crt_1\u0000", "\ud800"]) {
      expect(await wallet.commit({ creativeId })).toEqual(NO_MATCH);
    }
    expect((await wallet.commit({ creativeId: "crt_1" })).outcome).toBe("charged");
  });

  it("knows no match of another campaign, creative or game, and none that was cancelled", async () => {
    const wallet = await TestWallet.open(money, redis);
    const match = await wallet.hold();
    const matchId = match.match_id;
    expect(await wallet.commit({ matchId, creativeId: "crt_other" })).toEqual(NO_MATCH);
    expect(await wallet.commit({ matchId, gameId: "another" })).toEqual(NO_MATCH);
    expect(await wallet.commit({ matchId: "mat_unknown" })).toEqual(NO_MATCH);
    await wallet.commit({ operationId: "op_1" });
    expect(await wallet.commit({ matchId: "op:op_1" })).toEqual(NO_MATCH);
    // In the script it stands for any match.
    await expect(wallet.commit({ matchId: "" })).rejects.toThrow(RangeError);
    await expect(wallet.commit({ operationId: "" })).rejects.toThrow(RangeError);
    await expect(wallet.commit({ matchId, operationId: "", isKeyed: true })).rejects.toThrow(RangeError);
    const cancelled = await wallet.hold();
    await money.release(holdOf(cancelled), "cancelled");
    expect(await wallet.commit({ matchId: cancelled.match_id })).toEqual(NO_MATCH);
    expect(await wallet.commit()).toEqual(NO_MATCH);
  });

  it("refuses a wallet that is not there", async () => {
    const wallet = new TestWallet(money, redis);
    expect(await wallet.commit()).toEqual({ outcome: "refused", reason: "unknown_wallet" });
  });

  it("bills a paused campaign's holds", async () => {
    const wallet = await TestWallet.open(money, redis);
    await wallet.hold();
    await money.applyCampaign(wallet.campaign({ version: 2, status: "paused" }));
    expect((await wallet.commit()).outcome).toBe("charged");
  });

  it("charges a hold from before the campaign was created again, whose held money is none of this hold's", async () => {
    const wallet = await TestWallet.open(money, redis);
    await wallet.hold();
    await redis.del(walletKeys.campaign(wallet.advertiserId, wallet.campaignId));
    await money.applyCampaign(wallet.campaign());
    expect((await wallet.commit()).outcome).toBe("charged");
    expect(await wallet.spentAndHeld()).toEqual({ spent: 1_000, held: 0 });
    expect(await money.readCampaign(wallet.advertiserId, wallet.campaignId)).toMatchObject({
      heldMillicents: 0,
    });
  });

  it.each([
    ["budget", { budgetMillicents: 1_500 }],
    ["daily_cap", { dailyCapMillicents: 1_500 }],
  ])("refuses with %s the holds that a lowered limit no longer covers", async (reason, lowered) => {
    const wallet = await TestWallet.open(money, redis);
    const first = await wallet.hold();
    const second = await wallet.hold();
    await money.applyCampaign(wallet.campaign({ version: 2, ...lowered }));
    expect((await wallet.commit({ matchId: second.match_id })).outcome).toBe("charged");
    expect(await wallet.commit({ matchId: first.match_id })).toEqual({ outcome: "refused", reason });
    expect(await wallet.commit()).toEqual({ outcome: "refused", reason });
    expect(await wallet.spentAndHeld()).toEqual({ spent: 1_000, held: 1_000 });
    expect(await money.release(holdOf(first), "cancelled")).toBe("released");
    expect(await wallet.spentAndHeld()).toEqual({ spent: 1_000, held: 0 });
  });

  it("counts a charge on the day of its impression", async () => {
    const wallet = await TestWallet.open(money, redis, { dailyCapMillicents: 1_000 });
    await wallet.hold();
    await redis.hset(walletKeys.campaign(wallet.advertiserId, wallet.campaignId), {
      day: "2001-02-03",
      day_spent: 1_000,
    });
    expect((await wallet.commit()).outcome).toBe("charged");
    const { campaign } = await wallet.totals();
    expect(campaign.daySpentMillicents).toBe(1_000);
    expect(campaign.day).not.toBe("2001-02-03");
  });
});

describe("a late impression", () => {
  it("has its money as long as nobody has released the hold", async () => {
    const wallet = await TestWallet.open(money, redis, { budgetMillicents: 1_000 });
    const match = await wallet.hold();
    await wallet.age(match, HOLD_TTL_MS * 2);
    expect(matchIdOf(await wallet.commit())).toBe(match.match_id);
    expect(await wallet.spentAndHeld()).toEqual({ spent: 1_000, held: 0 });
    expect(await money.release(holdOf(match), "lapsed")).toBe("not_open");
  });

  it.each([
    ["balance", { depositedMillicents: 1_000 }],
    ["budget", { budgetMillicents: 1_000 }],
    ["daily_cap", { dailyCapMillicents: 1_000 }],
  ])("is billed when the money can be held again, else refused with %s", async (reason, state) => {
    const wallet = await TestWallet.open(money, redis, state);
    const late = await wallet.hold();
    await wallet.age(late, HOLD_TTL_MS);
    expect(await money.release(holdOf(late), "lapsed")).toBe("released");
    const open = await wallet.hold();
    expect(await wallet.commit({ matchId: late.match_id })).toEqual({ outcome: "refused", reason });
    await money.release(holdOf(open), "cancelled");
    expect(matchIdOf(await wallet.commit({ matchId: late.match_id }))).toBe(late.match_id);
    expect(await wallet.spentAndHeld()).toEqual({ spent: 1_000, held: 0 });
  });

  it("lets an open match of the same creative go first when its own money is gone", async () => {
    const wallet = await TestWallet.open(money, redis, { budgetMillicents: 1_000 });
    for (let i = 0; i < 40; i++) {
      const late = await wallet.hold();
      await wallet.age(late, HOLD_TTL_MS + 100_000 - i);
      await money.release(holdOf(late), "lapsed");
    }
    const open = await wallet.hold();
    expect(matchIdOf(await wallet.commit())).toBe(open.match_id);
    expect(await wallet.commit()).toEqual({ outcome: "refused", reason: "budget" });
  });

  it("needs its match_id once its hold lapsed an hour ago, whether or not it was released", async () => {
    const wallet = await TestWallet.open(money, redis);
    const released = await wallet.hold();
    const unreleased = await wallet.hold();
    const recent = await wallet.hold();
    for (const match of [released, unreleased]) await wallet.age(match, HOLD_TTL_MS + HOUR_MS);
    await wallet.age(recent, HOLD_TTL_MS + HOUR_MS - 60_000);
    for (const match of [released, recent]) await money.release(holdOf(match), "lapsed");
    expect(matchIdOf(await wallet.commit())).toBe(recent.match_id);
    expect(await wallet.commit()).toEqual(NO_MATCH);
    for (const { match_id: matchId } of [released, unreleased]) {
      expect(matchIdOf(await wallet.commit({ matchId }))).toBe(matchId);
    }
    expect(await wallet.spentAndHeld()).toEqual({ spent: 3_000, held: 0 });
  });

  it("finds an open match behind any number of forgotten ones", async () => {
    const wallet = await TestWallet.open(money, redis);
    for (let i = 0; i < 40; i++) {
      const unseen = await wallet.hold();
      await wallet.age(unseen, 2 * HOUR_MS);
      await money.release(holdOf(unseen), "lapsed");
    }
    const open = [await wallet.hold(), await wallet.hold()];
    for (const match of open) expect(matchIdOf(await wallet.commit())).toBe(match.match_id);
    expect(await wallet.commit()).toEqual(NO_MATCH);
  });

  it.each([
    [[], 0],
    [["01kb0000000000000000000001", "01kb0000000000000000000002", "01kb1"], 5],
    [["a", "a", "ab", "Ba-_9"], -3_000],
  ])(
    "has everything in its record after the hold of a match that its id carries: %j, %d",
    async (ids, aheadMs) => {
      const wallet = await TestWallet.open(money, redis);
      const affinities = ids.map((id, i) => ({ affinity_id: `aff_${id}`, contribution: 10 ** (i - 8) }));
      const matched_at_ms = Date.now() + aheadMs;
      const match = await wallet.hold({ affinities, matched_at_ms, country_code: null }, { isCarried: true });
      await wallet.age(match, HOLD_TTL_MS);
      expect(await money.release(holdOf(match), "lapsed")).toBe("released");
      expect(await wallet.commit()).toMatchObject({ outcome: "charged", record: { match } });
    },
  );

  it("is no match of another creative whose id ends alike", async () => {
    const wallet = await TestWallet.open(money, redis);
    const match = await wallet.hold({}, { isCarried: true });
    await wallet.age(match, HOLD_TTL_MS);
    expect(await money.release(holdOf(match), "lapsed")).toBe("released");
    const creativeId = `crt_forged0000000-${wallet.creativeId.slice(-12)}`;
    expect(await wallet.commit({ creativeId })).toEqual(NO_MATCH);
    expect(await wallet.commit()).toMatchObject({ outcome: "charged", record: { match } });
  });

  it("is found behind any number of matches that late settlements took", async () => {
    const wallet = await TestWallet.open(money, redis);
    const { advertiserId, campaignId, gameId } = wallet;
    const take = async (ageMs: number) => {
      const match = await wallet.hold({}, { isCarried: true });
      await wallet.age(match, ageMs);
      await money.release(holdOf(match), "lapsed");
      const settled = await money.settle({
        epoch: 0,
        kind: "late",
        impressionId: newId("imp"),
        matchId: match.match_id,
        walletId: advertiserId,
        campaignId,
        gameId,
        priceMillicents: match.price_millicents,
        day: today(),
        committedInEpoch: 0,
      });
      expect(settled).toBe("settled");
    };
    for (let i = 0; i < 40; i++) await take(HOLD_TTL_MS * (i < 20 ? 3 : 1));
    const open = [await wallet.hold(), await wallet.hold()];
    for (const match of open) await wallet.age(match, HOLD_TTL_MS * 2);
    for (const match of open) expect(matchIdOf(await wallet.commit())).toBe(match.match_id);
    expect(await wallet.commit()).toEqual(NO_MATCH);
  });

  it("is billed for as long as is set", async () => {
    const times = { holdTtlMs: HOLD_TTL_MS, lateImpressionMs: 2 * HOUR_MS, matchWithoutIdMs: 0 };
    const wallet = await TestWallet.open(createMoneyCommands(redis, times), redis);
    const late = await wallet.hold();
    await wallet.age(late, 2 * HOUR_MS - 60_000);
    expect(await wallet.commit()).toEqual(NO_MATCH);
    expect(matchIdOf(await wallet.commit({ matchId: late.match_id }))).toBe(late.match_id);
    const tooLate = await wallet.hold();
    await wallet.age(tooLate, 2 * HOUR_MS);
    expect(await wallet.commit({ matchId: tooLate.match_id })).toEqual(NO_MATCH);
    const open = await wallet.hold({}, { holdTtlMs: 3 * HOUR_MS });
    await wallet.age(open, 2 * HOUR_MS + 60_000);
    expect(matchIdOf(await wallet.commit({ matchId: open.match_id }))).toBe(open.match_id);
  });

  it("is remembered until it is too late, and a charge for a day", async () => {
    const times = { holdTtlMs: HOLD_TTL_MS, lateImpressionMs: 2 * HOUR_MS, matchWithoutIdMs: 0 };
    const wallet = await TestWallet.open(createMoneyCommands(redis, times), redis);
    const { advertiserId, campaignId, gameId } = wallet;
    const rememberedMs = async (matchId: string) =>
      Number(await redis.zscore(walletKeys.history(advertiserId, campaignId, gameId), matchId)) - Date.now();
    const match = await wallet.hold();
    const { match_id: matchId } = match;
    await wallet.age(match, HOLD_TTL_MS);
    expect(await wallet.money.release(holdOf(match), "lapsed")).toBe("released");
    expect(await rememberedMs(matchId)).toBeGreaterThan(2 * HOUR_MS);
    expect(await rememberedMs(matchId)).toBeLessThan(3 * HOUR_MS);
    await wallet.commit({ matchId });
    expect(await redis.pttl(walletKeys.charged(advertiserId, matchId))).toBeGreaterThan(DAY_MS);
    const { match_id: unnamed } = await wallet.hold();
    await wallet.commit();
    expect(await rememberedMs(unnamed)).toBeGreaterThan(DAY_MS);
    for (const name of ["matches", "history"] as const) {
      expect(await redis.pttl(walletKeys[name](advertiserId, campaignId, gameId))).toBeGreaterThan(DAY_MS);
    }
  });

  it("is remembered for a day without its id, also when the id carries the match", async () => {
    const wallet = await TestWallet.open(money, redis);
    const { advertiserId, campaignId, gameId } = wallet;
    for (const request of [{}, { operationId: "op_keyed", isKeyed: true }]) {
      const { match_id: matchId } = await wallet.hold({}, { isCarried: true });
      expect(matchIdOf(await wallet.commit(request))).toBe(matchId);
      const dueMs = await redis.zscore(walletKeys.history(advertiserId, campaignId, gameId), matchId);
      expect(Number(dueMs) - Date.now()).toBeGreaterThan(DAY_MS);
    }
  });

  it("is billed for as long as is set, also when that is longer than an id carries the match", async () => {
    const times = { holdTtlMs: HOLD_TTL_MS, lateImpressionMs: 2 * DAY_MS, matchWithoutIdMs: 0 };
    const wallet = await TestWallet.open(createMoneyCommands(redis, times), redis);
    const request = wallet.request({}, { isCarried: true });
    const held = await wallet.money.reserve(request);
    if (held.outcome !== "held") throw new Error(held.reason);
    await wallet.age(request.match, 30 * HOUR_MS);
    const heldAtMs = held.lapsesAtMs - HOLD_TTL_MS - 30 * HOUR_MS;
    const carried = { facts: request.match, heldAtMs, validFromEpoch: held.validFromEpoch };
    const matchId = request.match.match_id;
    expect(matchIdOf(await wallet.commit({ matchId, carried }))).toBe(matchId);
  });

  it("is charged from its id for a day after impressions may come later than before", async () => {
    const wallet = await TestWallet.open(money, redis);
    const times = { holdTtlMs: HOLD_TTL_MS, lateImpressionMs: 2 * DAY_MS, matchWithoutIdMs: 0 };
    const later = createMoneyCommands(redis, times);
    const chargeAt = async (ageMs: number) => {
      const request = wallet.request({}, { isCarried: true });
      const held = await money.reserve(request);
      if (held.outcome !== "held") throw new Error(held.reason);
      const { match } = request;
      await wallet.age(match, ageMs);
      expect(await money.release(holdOf(match), "lapsed")).toBe("released");
      const heldAtMs = held.lapsesAtMs - HOLD_TTL_MS - ageMs;
      const { advertiserId, campaignId, gameId, creativeId } = wallet;
      return later.commit({
        advertiserId,
        campaignId,
        gameId,
        creativeId,
        operationId: newId("op"),
        matchId: match.match_id,
        nowMs: Date.now(),
        carried: { facts: match, heldAtMs, validFromEpoch: held.validFromEpoch },
      });
    };
    expect(await chargeAt(HOUR_MS)).toMatchObject({ outcome: "charged", replay: false });
    expect(await chargeAt(DAY_MS - 60_000)).toMatchObject({ outcome: "charged", replay: false });
    expect(await chargeAt(DAY_MS + 60_000)).toEqual(NO_MATCH);
  });

  it("leaves a few bytes of its match, which no other creative, game or epoch takes for its own", async () => {
    const wallet = await TestWallet.open(money, redis);
    const { advertiserId, campaignId, gameId } = wallet;
    const { match_id: matchId } = await wallet.hold();
    const first = await wallet.commit({ matchId });
    const key = walletKeys.charged(advertiserId, matchId);
    const [field = ""] = await redis.hkeys(key);
    expect([matchId.endsWith(field), await redis.hstrlen(key, field)]).toEqual([true, 14]);
    expect(await redis.hexists(walletKeys.matches(advertiserId, campaignId, gameId), matchId)).toBe(0);
    expect(await redis.zrange(walletKeys.history(advertiserId, campaignId, gameId), "0", "-1")).toEqual([
      ":account",
    ]);
    expect(await wallet.commit({ matchId, creativeId: "crt_other" })).toEqual(NO_MATCH);
    expect(await wallet.commit({ matchId, gameId: "another" })).toEqual(NO_MATCH);
    expect(await wallet.commit({ matchId })).toEqual(asReplay(first));
    await redis.hset(walletKeys.account(advertiserId), "era", "7");
    expect(await wallet.commit({ matchId })).toEqual(NO_MATCH);
    expect(await wallet.spentAndHeld()).toEqual({ spent: 1_000, held: 0 });
  });

  it("is not mistaken for a match whose id differs in characters that its charge is not found by", async () => {
    const wallet = await TestWallet.open(money, redis);
    const { advertiserId, campaignId, gameId } = wallet;
    const { match_id: charged } = await wallet.hold();
    await wallet.commit({ matchId: charged });
    const settled = newId("mat");
    await money.settle({
      epoch: 0,
      kind: "late",
      impressionId: newId("imp"),
      matchId: settled,
      walletId: advertiserId,
      campaignId,
      gameId,
      priceMillicents: 1_000,
      day: today(),
      committedInEpoch: 0,
    });
    for (const matchId of [charged, settled]) {
      const forged = `${matchId.slice(0, 10)}zzzzzz${matchId.slice(16)}`;
      expect(chargedField(forged)).toBe(chargedField(matchId));
      expect(await wallet.commit({ matchId: forged })).toEqual(NO_MATCH);
      expect(await wallet.commit({ matchId })).toMatchObject({ replay: true });
    }
  });

  it("is charged from what its id carries once the wallet has forgotten it, once, within a day and its epoch", async () => {
    const wallet = await TestWallet.open(money, redis, { budgetMillicents: 2_000 });
    const { advertiserId, campaignId, gameId } = wallet;
    const carry = async () => {
      const request = wallet.request({}, { isCarried: true });
      const held = await money.reserve(request);
      if (held.outcome !== "held") throw new Error(held.reason);
      expect(await money.release(holdOf(request.match), "cancelled")).toBe("released");
      const matches = walletKeys.matches(advertiserId, campaignId, gameId);
      await redis.hdel(matches, request.match.match_id);
      const heldAtMs = held.lapsesAtMs - HOLD_TTL_MS;
      const carried = { facts: request.match, heldAtMs, validFromEpoch: held.validFromEpoch };
      return { matchId: request.match.match_id, carried };
    };
    const late = await carry();
    const first = await wallet.commit(late);
    expect(first).toMatchObject({ replay: false, record: { match: late.carried.facts } });
    if (first.outcome !== "charged") throw new Error(first.reason);
    const { items } = await money.listOutbox(wallet.advertiserId, 10);
    expect(items).toStrictEqual([first.record]);
    expect(await wallet.commit(late)).toEqual(asReplay(first));
    expect(await wallet.commit({ matchId: late.matchId })).toEqual(asReplay(first));
    expect(await wallet.spentAndHeld()).toEqual({ spent: 1_000, held: 0 });

    const other = await carry();
    const ofDayBefore = { ...other.carried, heldAtMs: Date.now() - DAY_MS - 60_000 };
    expect(await wallet.commit({ ...other, carried: ofDayBefore })).toEqual(NO_MATCH);
    expect(await wallet.commit({ ...other, carried: { ...other.carried, validFromEpoch: 7 } })).toEqual(
      NO_MATCH,
    );
    const held = [await wallet.hold()];
    expect(await wallet.commit(other)).toEqual({ outcome: "refused", reason: "budget" });
    await money.release(holdOf(held[0] ?? wallet.match()), "cancelled");
    await redis.del(walletKeys.matches(advertiserId, campaignId, gameId));
    expect(await wallet.commit(other)).toMatchObject({ replay: false });
    expect(await wallet.spentAndHeld()).toEqual({ spent: 2_000, held: 0 });
  });

  it("bills what an earlier version has left open, and answers retries of what it has charged", async () => {
    const wallet = await TestWallet.open(money, redis);
    const { advertiserId, campaignId, gameId } = wallet;
    const charged = await wallet.hold();
    const matches = walletKeys.matches(advertiserId, campaignId, gameId);
    const open = await redis.hget(matches, charged.match_id);
    await wallet.commit({ matchId: charged.match_id });
    await redis.del(walletKeys.charged(advertiserId, charged.match_id));
    const fields = open?.split("|") ?? [];
    const recordedAtMs = Date.now() - HOUR_MS;
    const impressionId = charged.match_id.replace("mat_", "imp_");
    const charge = ["C", ...fields.slice(1, 8), recordedAtMs, impressionId, ...fields.slice(10)];
    await redis.hset(matches, charged.match_id, charge.join("|"));
    expect(await wallet.commit({ matchId: charged.match_id })).toMatchObject({
      replay: true,
      record: { recorded_at_ms: recordedAtMs, impression_id: impressionId },
    });
    expect(await wallet.spentAndHeld()).toEqual({ spent: 1_000, held: 0 });
  });

  it("is none any more after a day", async () => {
    const wallet = await TestWallet.open(money, redis);
    const match = await wallet.hold();
    await wallet.age(match, DAY_MS);
    await money.release(holdOf(match), "lapsed");
    expect(await wallet.commit({ matchId: match.match_id })).toEqual(NO_MATCH);
    expect(await wallet.commit()).toEqual(NO_MATCH);
  });
});
