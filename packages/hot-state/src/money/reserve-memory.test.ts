import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { RedisConnection } from "../connection.ts";
import { walletKeys } from "../keys.ts";
import { createMoneyCommands } from "./commands.ts";
import { holdOf } from "./holds.ts";
import { HOLD_TTL_MS, SESSION_IDLE_MS, TestWallet } from "./testing/wallet.ts";
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

describe("what reserve keeps", () => {
  it("lets caps and histories run out, but never money", async () => {
    const wallet = await TestWallet.open(money, redis);
    const { advertiserId, campaignId, gameId } = wallet;
    const match = await wallet.hold();
    const ttl = (key: string) => redis.pttl(key);
    expect(await ttl(walletKeys.account(advertiserId))).toBe(-1);
    expect(await ttl(walletKeys.campaign(advertiserId, campaignId))).toBe(-1);
    expect(await ttl(walletKeys.holds(advertiserId))).toBe(-1);
    const dayMs = 24 * 3_600_000;
    for (const name of ["pending", "matches"] as const) {
      expect(await ttl(walletKeys[name](advertiserId, campaignId, gameId))).toBeGreaterThan(
        dayMs + HOLD_TTL_MS,
      );
    }
    const capTtl = await ttl(walletKeys.cap(advertiserId, gameId, match.session_key));
    expect([capTtl > 0, capTtl <= SESSION_IDLE_MS]).toEqual([true, true]);
    await wallet.commit();
    expect(await ttl(walletKeys.outbox(advertiserId))).toBe(-1);
  });

  it("keeps caps for the idle time of their session after each request, whatever its outcome", async () => {
    const wallet = await TestWallet.open(money, redis);
    const session = { session_key: "s" };
    const cap = walletKeys.cap(wallet.advertiserId, wallet.gameId, "s");
    const sessionIdleMs = 24 * 3_600_000;
    await wallet.hold(session, { sessionIdleMs });
    await redis.pexpire(cap, 60_000);
    await money.applyCampaign(wallet.campaign({ version: 2, status: "paused" }));
    const request = wallet.request(session, { sessionIdleMs, campaignVersion: 2 });
    expect(await money.reserve(request)).toMatchObject({ reason: "not_active" });
    const capTtl = await redis.pttl(cap);
    expect([capTtl > 60_000, capTtl <= sessionIdleMs]).toEqual([true, true]);
  });

  it("keeps `history` for as long as the matches that it lists", async () => {
    const wallet = await TestWallet.open(money, redis);
    const { advertiserId, campaignId, gameId } = wallet;
    const [pending, matches, history] = (["pending", "matches", "history"] as const).map((name) =>
      walletKeys[name](advertiserId, campaignId, gameId),
    ) as [string, string, string];
    // Each command of a script may take the time anew: in seconds.
    const expiry = async (key: string) => Number(await redis.call("PEXPIRETIME", key)) / 1_000;
    await wallet.hold({}, { isCarried: true });
    await redis.pexpire(matches, 9 * 24 * 3_600_000);
    await wallet.hold();
    expect(await expiry(history)).toBeCloseTo(await expiry(matches), 0);
    for (const key of [pending, matches, history]) await redis.pexpire(key, 3_600_000);
    await wallet.hold();
    expect(await redis.pttl(history)).toBeGreaterThan(24 * 3_600_000);
    expect(await expiry(history)).toBeCloseTo(await expiry(matches), 0);
    expect(await expiry(pending)).toBeCloseTo(await expiry(matches), 0);
  });

  it("keeps a match whose id does not carry it until it can no longer be billed", async () => {
    const keptMs = async (wallet: TestWallet, overrides = {}) => {
      const { match_id: id } = await wallet.hold({}, overrides);
      const history = walletKeys.history(wallet.advertiserId, wallet.campaignId, wallet.gameId);
      return Number(await redis.zscore(history, id)) - Date.now();
    };
    const hourMs = 3_600_000;
    expect(await keptMs(await TestWallet.open(money, redis))).toBeGreaterThan(24 * hourMs);
    const times = { holdTtlMs: HOLD_TTL_MS, lateImpressionMs: 25 * hourMs, matchWithoutIdMs: 0 };
    const long = await TestWallet.open(createMoneyCommands(redis, times), redis);
    expect(await keptMs(long, { isCarried: true })).toBeGreaterThan(25 * hourMs);
  });

  it("forgets a match whose id carries it once it is billed only by its id, also of a creative that no longer serves", async () => {
    const wallet = await TestWallet.open(money, redis);
    const { advertiserId, campaignId, gameId } = wallet;
    const matches = walletKeys.matches(advertiserId, campaignId, gameId);
    const pending = walletKeys.pending(advertiserId, campaignId, gameId);
    const lapse = async (creativeId: string, ageMs: number) => {
      const creatives = [{ creativeId, maxUses: 1 }];
      const match = await wallet.hold({}, { isCarried: true, creatives });
      await wallet.age(match, ageMs);
      expect(await money.release(holdOf(match), "lapsed")).toBe("released");
      return match.match_id;
    };
    const holdUntil = async (isDone: (holds: number) => boolean | Promise<boolean>) => {
      let holds = 0;
      for (; !(await isDone(holds)); holds++) await wallet.hold({}, { isCarried: true });
      return holds;
    };
    const billedMs = HOLD_TTL_MS + 3_600_000;
    const lapsed = [];
    for (const creative of ["crt_0", "crt_zz", wallet.creativeId, wallet.creativeId, "crt_zz"]) {
      lapsed.push(await lapse(creative, billedMs));
    }
    const before = await holdUntil((holds) => holds === 16);
    expect(await redis.hmget(matches, ...lapsed)).not.toContain(null);
    const old: string[] = [];
    for (const creative of ["crt_0", "crt_zz", ...Array(4).fill(wallet.creativeId)]) {
      old.push(await lapse(creative, billedMs + 700_000));
    }
    const isForgotten = (entry: string | null) => entry === null;
    const after = await holdUntil(async () => (await redis.hmget(matches, ...old)).every(isForgotten));
    expect(await redis.hmget(matches, ...lapsed)).not.toContain(null);
    expect(await redis.zcard(pending)).toBe(lapsed.length + before + after);
    expect(await redis.zrange(walletKeys.history(advertiserId, campaignId, gameId), "0", "-1")).toEqual([
      ":account",
    ]);
  });

  it("keeps a match that was cancelled and held anew for as long as another", async () => {
    const wallet = await TestWallet.open(money, redis);
    const requests = Array.from({ length: 5 }, () => wallet.request({}, { isCarried: true }));
    for (const { match, ...request } of requests) {
      expect(await money.reserve({ match, ...request })).toMatchObject({ outcome: "held" });
      expect(await money.release(holdOf(match), "cancelled")).toBe("released");
      expect(await money.reserve({ match, ...request })).toMatchObject({ outcome: "held" });
      await wallet.age(match, 2 * HOLD_TTL_MS);
      expect(await money.release(holdOf(match), "lapsed")).toBe("released");
    }
    for (let holds = 0; holds < 16; holds++) await wallet.hold({}, { isCarried: true });
    for (const { match } of requests) expect(await wallet.commit()).toMatchObject({ record: { match } });
  });

  it("keeps the matches of long holds although a commit needs them for a shorter time", async () => {
    const wallet = await TestWallet.open(money, redis);
    await wallet.hold();
    await wallet.hold({}, { holdTtlMs: 5 * 3_600_000 });
    await wallet.commit();
    const matches = walletKeys.matches(wallet.advertiserId, wallet.campaignId, wallet.gameId);
    expect(await redis.pttl(matches)).toBeGreaterThan(29 * 3_600_000);
  });

  it("forgets matches and operations a day later, some at each reserve", async () => {
    const wallet = await TestWallet.open(money, redis);
    const { advertiserId, campaignId, gameId } = wallet;
    const history = walletKeys.history(advertiserId, campaignId, gameId);
    const held = [];
    for (let i = 0; i < 10; i++) held.push(await wallet.hold());
    for (let i = 0; i < 3; i++) await wallet.commit();
    for (const match of held.slice(3)) {
      await wallet.age(match, HOLD_TTL_MS + 1_000);
      await money.release(holdOf(match), "lapsed");
    }
    const listed = await redis.zrangebyscore(history, 0, "(inf");
    expect(listed).toHaveLength(13);
    for (const field of listed) await redis.zadd(history, 1, field);
    let holds = 0;
    for (; (await redis.zcount(history, 1, 1)) > 0; holds++) await wallet.hold();
    expect(await redis.zcount(history, 0, "(inf")).toBe(holds);
    // The matches, their valid-from epoch and their developer's account.
    expect(await redis.hlen(walletKeys.matches(advertiserId, campaignId, gameId))).toBe(holds + 2);
    expect(await redis.zcard(walletKeys.pending(advertiserId, campaignId, gameId))).toBe(holds);
  });

  it("keeps a match for its release, however late that comes", async () => {
    const wallet = await TestWallet.open(money, redis);
    const { advertiserId, campaignId, gameId } = wallet;
    const history = walletKeys.history(advertiserId, campaignId, gameId);
    const held = [];
    for (let i = 0; i < 5; i++) held.push(await wallet.hold());
    // As an earlier version did when it took a hold.
    for (const match of held) await redis.zadd(history, 1, match.match_id);
    await wallet.hold();
    for (const match of held) {
      await wallet.age(match, HOLD_TTL_MS + 1_000);
      await money.release(holdOf(match), "lapsed");
    }
    expect(await redis.zcard(walletKeys.holds(advertiserId))).toBe(1);
    for (const { session_key: session } of held) {
      expect(await redis.hget(walletKeys.cap(advertiserId, gameId, session), wallet.creativeId)).toBeNull();
    }
  });
});
