import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { connectRedis, type RedisConnection } from "../connection.ts";
import { advertiserKeys } from "../keys.ts";
import { createMoneyCommands } from "./commands.ts";
import { holdOf } from "./holds.ts";
import { HOLD_TTL_MS, SESSION_IDLE_MS, TestWallet } from "./testing/wallet.ts";
import type { MoneyCommands } from "./types.ts";

let server: TestRedis;
let redis: RedisConnection;
let money: MoneyCommands;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, { name: "reserve-memory-test" });
  money = createMoneyCommands(redis);
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

describe("what reserve keeps", () => {
  it("lets caps and histories run out, but never money", async () => {
    const wallet = await TestWallet.open(money, redis);
    const { advertiserId, campaignId, gameId } = wallet;
    const match = await wallet.hold();
    const ttl = (key: string) => redis.pttl(key);
    expect(await ttl(advertiserKeys.account(advertiserId))).toBe(-1);
    expect(await ttl(advertiserKeys.campaign(advertiserId, campaignId))).toBe(-1);
    expect(await ttl(advertiserKeys.holds(advertiserId))).toBe(-1);
    const dayMs = 24 * 3_600_000;
    for (const name of ["pending", "matches", "history"] as const) {
      expect(await ttl(advertiserKeys[name](advertiserId, campaignId, gameId))).toBeGreaterThan(
        dayMs + HOLD_TTL_MS,
      );
    }
    const capTtl = await ttl(advertiserKeys.cap(advertiserId, gameId, match.session_key));
    expect([capTtl > 0, capTtl <= SESSION_IDLE_MS]).toEqual([true, true]);
    await wallet.commit();
    expect(await ttl(advertiserKeys.outbox(advertiserId))).toBe(-1);
  });

  it("keeps caps for the idle time of their session after each request, whatever its outcome", async () => {
    const wallet = await TestWallet.open(money, redis);
    const session = { session_key: "s" };
    const cap = advertiserKeys.cap(wallet.advertiserId, wallet.gameId, "s");
    const sessionIdleMs = 24 * 3_600_000;
    await wallet.hold(session, { sessionIdleMs });
    await redis.pexpire(cap, 1_000);
    await money.applyCampaign(wallet.campaign({ version: 2, status: "paused" }));
    const request = wallet.request(session, { sessionIdleMs, campaignVersion: 2 });
    expect(await money.reserve(request)).toMatchObject({ reason: "not_active" });
    const capTtl = await redis.pttl(cap);
    expect([capTtl > 1_000, capTtl <= sessionIdleMs]).toEqual([true, true]);
  });

  it("forgets a match whose id carries it once it is billed only by its id", async () => {
    const wallet = await TestWallet.open(money, redis);
    const history = advertiserKeys.history(wallet.advertiserId, wallet.campaignId, wallet.gameId);
    const keptMs = async ({ match_id: id }: { match_id: string }, from: string) =>
      Number(await redis.zscore(from, id)) - Date.now();
    const hourMs = 3_600_000;
    expect(await keptMs(await wallet.hold(), history)).toBeGreaterThan(24 * hourMs);
    const carried = await keptMs(await wallet.hold({}, { isCarried: true }), history);
    expect([carried > hourMs, carried < 2 * hourMs]).toEqual([true, true]);
    const times = { holdTtlMs: HOLD_TTL_MS, lateImpressionMs: 25 * hourMs, matchWithoutIdMs: 0 };
    const other = await TestWallet.open(createMoneyCommands(redis, times), redis);
    const long = await other.hold({}, { isCarried: true });
    const key = advertiserKeys.history(other.advertiserId, other.campaignId, other.gameId);
    expect(await keptMs(long, key)).toBeGreaterThan(25 * hourMs);
  });

  it("keeps the matches of long holds although a commit needs them for a shorter time", async () => {
    const wallet = await TestWallet.open(money, redis);
    await wallet.hold();
    await wallet.hold({}, { holdTtlMs: 5 * 3_600_000 });
    await wallet.commit();
    const matches = advertiserKeys.matches(wallet.advertiserId, wallet.campaignId, wallet.gameId);
    expect(await redis.pttl(matches)).toBeGreaterThan(29 * 3_600_000);
  });

  it("forgets matches and operations a day later, some at each reserve", async () => {
    const wallet = await TestWallet.open(money, redis);
    const { advertiserId, campaignId, gameId } = wallet;
    const history = advertiserKeys.history(advertiserId, campaignId, gameId);
    const held = [];
    for (let i = 0; i < 10; i++) held.push(await wallet.hold());
    for (let i = 0; i < 3; i++) await wallet.commit();
    for (const match of held.slice(3)) {
      await wallet.age(match, HOLD_TTL_MS + 1_000);
      await money.release(holdOf(match), "lapsed");
    }
    expect(await redis.zcard(history)).toBe(13);
    for (const field of await redis.zrange(history, "0", "-1")) await redis.zadd(history, 1, field);
    await wallet.hold();
    expect(await redis.zcard(history)).toBe(6);
    await wallet.hold();
    expect(await redis.zcard(history)).toBe(2);
    // Two matches and their valid-from epoch.
    expect(await redis.hlen(advertiserKeys.matches(advertiserId, campaignId, gameId))).toBe(3);
    expect(await redis.zcard(advertiserKeys.pending(advertiserId, campaignId, gameId))).toBe(2);
  });

  it("keeps a match for its release, however late that comes", async () => {
    const wallet = await TestWallet.open(money, redis);
    const { advertiserId, campaignId, gameId } = wallet;
    const history = advertiserKeys.history(advertiserId, campaignId, gameId);
    const held = [];
    for (let i = 0; i < 5; i++) held.push(await wallet.hold());
    for (const field of await redis.zrange(history, "0", "-1")) await redis.zadd(history, 1, field);
    await wallet.hold();
    for (const match of held) {
      await wallet.age(match, HOLD_TTL_MS + 1_000);
      await money.release(holdOf(match), "lapsed");
    }
    expect(await redis.zcard(advertiserKeys.holds(advertiserId))).toBe(1);
    for (const { session_key: session } of held) {
      expect(
        await redis.hget(advertiserKeys.cap(advertiserId, gameId, session), wallet.creativeId),
      ).toBeNull();
    }
  });
});
