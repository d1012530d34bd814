import { type MatchFacts, newId } from "@diegetic/contracts";
import { TEST_CLAIM } from "@diegetic/testing/open-wallet";
import { startTestRedisCluster, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { RedisConnection } from "../connection.ts";
import { encodeName, walletKeys } from "../keys.ts";
import { createWalletReader } from "../reconciliation/wallet-reader.ts";
import { addCampaignGameCounts } from "./campaign-games.ts";
import { createMoneyCommands } from "./commands.ts";
import { holdOf } from "./holds.ts";
import type { ReserveResult } from "./reserve.ts";
import { HOLD_TTL_MS, TestWallet, today } from "./testing/wallet.ts";
import type { MoneyCommands } from "./types.ts";

const PRICE = 1_000;
const UNSHARED_HOLDS = 100;
/** What is left so that the unshared holds are exactly half of it. */
const LEFT = 2 * UNSHARED_HOLDS * PRICE;

let server: TestRedis;
let redis: RedisConnection;
let money: MoneyCommands;
beforeAll(async () => {
  server = await startTestRedisCluster();
  redis = connectTestRedis(server.url);
  money = createMoneyCommands(redis);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const reasonOf = (result: ReserveResult) => (result.outcome === "refused" ? result.reason : "held");

async function holdMany(wallet: TestWallet, count: number, match: Partial<MatchFacts> = {}) {
  const held: MatchFacts[] = [];
  for (let i = 0; i < count; i++) held.push(await wallet.hold(match));
  return held;
}

const sharesOf = ({ advertiserId, campaignId }: TestWallet) =>
  redis.hgetall(walletKeys.shares(advertiserId, campaignId));

async function differingShares({ advertiserId, campaignId }: TestWallet): Promise<number | null | undefined> {
  const limits = { holds: 1_000, records: 1_000, lateMs: 60_000 };
  const summary = await createWalletReader(redis).read(advertiserId, [campaignId], limits);
  return summary?.campaigns[0]?.differingShares;
}

/** Every way in which a hold ends. */
const ENDS: Record<string, (wallet: TestWallet, match: MatchFacts) => Promise<unknown>> = {
  commit: (wallet, match) => wallet.commit({ matchId: match.match_id }),
  "commit of the oldest": (wallet) => wallet.commit(),
  cancelled: (_wallet, match) => money.release(holdOf(match), "cancelled"),
  lapsed: async (wallet, match) => {
    await wallet.age(match, 2 * HOLD_TTL_MS);
    return money.release(holdOf(match), "lapsed");
  },
  "lapsed, and its match is forgotten": async (wallet, match) => {
    const key = walletKeys.holds(wallet.advertiserId);
    const members = await redis.zrange(key, "0", "-1");
    for (const member of members) if (member.startsWith(match.match_id)) await redis.zadd(key, 1, member);
    await redis.del(walletKeys.matches(wallet.advertiserId, wallet.campaignId, wallet.gameId));
    const { holds } = await money.listLapsed(wallet.advertiserId, 10);
    for (const hold of holds) expect(await money.release(hold, "lapsed")).toBe("released");
  },
  settle: ({ advertiserId, campaignId, gameId }, match) =>
    money.settle({
      epoch: 0,
      kind: "late",
      impressionId: newId("imp"),
      matchId: match.match_id,
      walletId: advertiserId,
      campaignId,
      gameId,
      priceMillicents: PRICE,
      day: today(),
      committedInEpoch: 0,
    }),
};

describe("open holds of one developer account", () => {
  it.each([
    ["balance", { depositedMillicents: LEFT }],
    ["budget", { budgetMillicents: LEFT }],
    ["daily cap", { dailyCapMillicents: LEFT }],
  ])(
    "take at most half of what is left of the %s, once there are more than a hundred",
    async (_name, limit) => {
      const wallet = await TestWallet.open(money, redis, limit);
      const [first] = await holdMany(wallet, UNSHARED_HOLDS);
      const refusal = { outcome: "refused", reason: "developer_share", lasts: null };
      expect(await money.reserve(wallet.request())).toMatchObject(refusal);
      expect(await money.reserve(wallet.request({ game_id: "another of its games" }))).toMatchObject(refusal);
      const rival = { developer_account_id: "acct_2", game_id: "of somebody else" };
      expect(await money.reserve(wallet.request(rival))).toMatchObject({ outcome: "held" });
      // A hold that becomes a charge leaves less: half of that.
      if (first === undefined) throw new Error("nothing was held");
      await wallet.commit({ matchId: first.match_id });
      expect(reasonOf(await money.reserve(wallet.request()))).toBe("held");
      expect(reasonOf(await money.reserve(wallet.request()))).toBe("developer_share");
      expect(await differingShares(wallet)).toBe(0);
    },
  );

  it("are not compared with what is left before there are a hundred", async () => {
    const wallet = await TestWallet.open(money, redis, { budgetMillicents: UNSHARED_HOLDS * PRICE });
    await holdMany(wallet, UNSHARED_HOLDS);
    expect(reasonOf(await money.reserve(wallet.request()))).toBe("budget");
  });

  it("may be more than a hundred while they take less than half", async () => {
    const wallet = await TestWallet.open(money, redis, { budgetMillicents: 3 * UNSHARED_HOLDS * PRICE });
    await holdMany(wallet, 1.5 * UNSHARED_HOLDS);
    expect(reasonOf(await money.reserve(wallet.request()))).toBe("developer_share");
    expect(reasonOf(await money.reserve(wallet.request({ price_millicents: 1 })))).toBe("developer_share");
  });

  it.each(Object.entries(ENDS))("are returned: %s", async (_name, end) => {
    const wallet = await TestWallet.open(money, redis);
    const match = await wallet.hold();
    const game = `g:${encodeName(wallet.gameId)}`;
    expect(await sharesOf(wallet)).toEqual({ acct_1: `1|${PRICE}`, [game]: `${PRICE}` });
    await end(wallet, match);
    expect(await sharesOf(wallet)).toEqual({});
    expect(await differingShares(wallet)).toBe(0);
  });

  it("never fall below zero when a count was lost", async () => {
    const wallet = await TestWallet.open(money, redis);
    const [first, second] = await holdMany(wallet, 2);
    const key = walletKeys.shares(wallet.advertiserId, wallet.campaignId);
    await redis.del(key);
    expect(await differingShares(wallet)).toBe(2);
    for (const match of [first, second]) await wallet.commit({ matchId: match?.match_id ?? "" });
    expect(await sharesOf(wallet)).toEqual({});
  });

  it("are counted anew when the wallet is restored with its holds, and are none when those are void", async () => {
    const wallet = await TestWallet.open(money, redis);
    await holdMany(wallet, 2);
    await wallet.hold({ developer_account_id: "acct_2", game_id: "of somebody else" });
    const counted = await sharesOf(wallet);
    const restore = async (epoch: number, forgetMatches: boolean) => {
      const key = walletKeys.account(wallet.advertiserId);
      await redis.hset(key, "lineage", "another");
      const found = await money.freezeUnlessLive(wallet.advertiserId, epoch - 1, TEST_CLAIM);
      if (found.state !== "frozen") throw new Error(found.state);
      const campaign = { ...wallet.campaign(), spentMillicents: 0, impressions: 0, day: today() };
      return money.restoreWallet({
        walletId: wallet.advertiserId,
        found,
        epoch,
        forgetMatches,
        version: 1,
        depositedMillicents: 1_000_000,
        spentMillicents: 0,
        impressions: 0,
        settledMarks: [],
        campaigns: [{ ...campaign, daySpentMillicents: 0 }],
      });
    };
    await redis.hset(walletKeys.shares(wallet.advertiserId, wallet.campaignId), "acct_1", "9|9");
    expect(await restore(1, false)).toBe("restored");
    expect(await sharesOf(wallet)).toEqual(counted);
    expect(await restore(2, true)).toBe("restored");
    expect(await sharesOf(wallet)).toEqual({});
  });
});

describe("matches by game", () => {
  const gamesOf = ({ advertiserId, campaignId }: TestWallet, nowMs = Date.now()) =>
    money.readCampaignGames(advertiserId, campaignId, nowMs);

  it("count those of the last 24 hours, without those that nobody was answered", async () => {
    const wallet = await TestWallet.open(money, redis);
    const seen = await wallet.hold();
    const request = wallet.request({ game_id: "another" });
    // The same match twice: one hold.
    for (let i = 0; i < 2; i++) expect(reasonOf(await money.reserve(request))).toBe("held");
    const cancelled = await wallet.hold();
    await money.release(holdOf(cancelled), "cancelled");
    await money.release(holdOf(cancelled), "cancelled");
    await wallet.commit({ matchId: seen.match_id });
    const games = await gamesOf(wallet);
    expect([...games.matches]).toEqual(
      expect.arrayContaining([
        [wallet.gameId, 1],
        ["another", 1],
      ]),
    );
    expect([...games.impressions]).toEqual([[wallet.gameId, 1]]);
    expect([...games.heldMillicents]).toEqual([["another", PRICE]]);
    expect(games.openHolds).toBe(1);
    const later = await gamesOf(wallet, Date.now() + 86_400_000);
    expect([...later.matches]).toEqual([]);
  });

  it("are counted, and so are impressions, in the hour of the caller's clock", async () => {
    const wallet = await TestWallet.open(money, redis);
    const nowMs = Date.now() - 3 * 86_400_000;
    await wallet.hold({ matched_at_ms: nowMs });
    await wallet.commit({ nowMs });
    const { matches, impressions } = await gamesOf(wallet, nowMs);
    expect([matches.get(wallet.gameId), impressions.get(wallet.gameId)]).toEqual([1, 1]);
  });

  it("include what was added for an hour, and forget it after a day", async () => {
    const wallet = await TestWallet.open(money, redis);
    const { advertiserId, campaignId, gameId } = wallet;
    const nowMs = Date.now();
    const hourMs = Math.floor(nowMs / 3_600_000) * 3_600_000;
    await wallet.hold({ matched_at_ms: nowMs });
    await addCampaignGameCounts(redis, advertiserId, [
      { campaignId, gameId, hourMs, matches: 3, impressions: 2 },
      { campaignId, gameId: "a game: of others", hourMs, matches: 5, impressions: 0 },
    ]);
    const games = await gamesOf(wallet, nowMs);
    expect([games.matches.get(gameId), games.impressions.get(gameId)]).toEqual([4, 2]);
    expect(games.matches.get("a game: of others")).toBe(5);
    const ttlMs = await redis.pttl(walletKeys.hourlyCounts(advertiserId, campaignId, hourMs / 3_600_000));
    expect(ttlMs).toBeGreaterThan(86_400_000 - (Date.now() - hourMs));
    expect(ttlMs).toBeLessThanOrEqual(26 * 3_600_000);
  });

  it("are one number for all games beyond the first ones of an hour", async () => {
    const wallet = await TestWallet.open(money, redis);
    const match = wallet.match();
    const { advertiserId, campaignId } = wallet;
    const hour = Math.floor(match.matched_at_ms / 3_600_000);
    const key = walletKeys.hourlyCounts(advertiserId, campaignId, hour);
    await redis.hset(key, Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`game-${i}`, "1"])));
    const beyond = await wallet.hold({ matched_at_ms: match.matched_at_ms });
    await wallet.hold({ matched_at_ms: match.matched_at_ms });
    await wallet.hold({ matched_at_ms: match.matched_at_ms, game_id: "game-7" });
    await money.release(holdOf(beyond), "cancelled");
    const { matches } = await gamesOf(wallet, match.matched_at_ms);
    expect([matches.get(null), matches.get("game-7"), matches.has(wallet.gameId)]).toEqual([1, 2, false]);
    expect(await redis.pttl(key)).toBeGreaterThan(86_400_000);
  });

  it("are one number for all games of a developer beyond the first hundred, and leave room for those of others", async () => {
    const wallet = await TestWallet.open(money, redis, { budgetMillicents: 1_000_000 });
    const { matched_at_ms } = wallet.match();
    for (let game = 0; game < 120; game += 1) await wallet.hold({ matched_at_ms, game_id: `game-${game}` });
    await wallet.hold({ matched_at_ms, game_id: "game-0" });
    await wallet.hold({ matched_at_ms, game_id: "of another", developer_account_id: "acct_other" });
    const { matches } = await gamesOf(wallet, matched_at_ms);
    expect([matches.get(null), matches.get("game-0"), matches.get("of another")]).toEqual([20, 2, 1]);
    expect(matches.size).toBe(102);
  });

  it("are those of a developer's first hundred games, of matches and of impressions, without cancelled ones", async () => {
    const wallet = await TestWallet.open(money, redis, { budgetMillicents: 1_000_000 });
    const { matched_at_ms } = wallet.match();
    for (let again = 0; again < 101; again += 1) {
      const cancelled = await wallet.hold({ matched_at_ms, game_id: "cancelled" });
      await money.release(holdOf(cancelled), "cancelled");
    }
    const games = Array.from({ length: 80 }, (_, game) => `game-${game}`);
    for (const game_id of games) {
      const match = await wallet.hold({ matched_at_ms, game_id });
      await wallet.commit({ matchId: match.match_id, gameId: game_id, nowMs: matched_at_ms });
    }
    const { matches, impressions } = await gamesOf(wallet, matched_at_ms);
    expect(new Set(matches.keys())).toEqual(new Set(games));
    expect(new Set(impressions.keys())).toEqual(new Set(games));
  });
});
