import { newId } from "@diegetic/contracts";
import { startTestRedis, startTestRedisCluster, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { RedisConnection } from "../connection.ts";
import { createGameSessions } from "../game-session/sessions.ts";
import { walletKeys } from "../keys.ts";
import { createMoneyCommands } from "./commands.ts";
import type { CommitResult } from "./commit.ts";
import { holdOf } from "./holds.ts";
import { asReplay, HOLD_TTL_MS, TestWallet } from "./testing/wallet.ts";
import type { MoneyCommands } from "./types.ts";

const REQUESTS = 60;

function times<Result>(count: number, task: (i: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => task(i)));
}

function isNewCharge(result: CommitResult): boolean {
  return result.outcome === "charged" && !result.replay;
}

describe.each([
  { name: "one Redis", start: () => startTestRedis() },
  { name: "a cluster", start: () => startTestRedisCluster() },
])("many callers at once on $name", ({ start }) => {
  let server: TestRedis;
  let redis: RedisConnection;
  let others: RedisConnection[];
  let money: MoneyCommands;
  let instances: MoneyCommands[];

  beforeAll(async () => {
    server = await start();
    redis = connectTestRedis(server.url);
    others = [1, 2, 3].map(() => connectTestRedis(server.url));
    money = createMoneyCommands(redis);
    instances = others.map((connection) => createMoneyCommands(connection));
  });

  afterAll(async () => {
    for (const connection of [redis, ...others]) connection.disconnect();
    await server.stop();
  });

  const instance = (i: number): MoneyCommands => instances[i % instances.length] ?? money;

  it.each([
    ["balance", { depositedMillicents: 7_000 }],
    ["budget", { budgetMillicents: 7_999 }],
    ["daily_cap", { dailyCapMillicents: 7_500 }],
  ])("holds exactly as many matches as the %s pays for", async (reason, state) => {
    const wallet = await TestWallet.open(money, redis, state);
    const results = await times(REQUESTS, (i) => instance(i).reserve(wallet.request()));
    expect(results.filter(({ outcome }) => outcome === "held")).toHaveLength(7);
    const refusals = results.flatMap((result) => (result.outcome === "refused" ? [result.reason] : []));
    expect(new Set(refusals)).toEqual(new Set([reason]));
    expect(await wallet.spentAndHeld()).toEqual({ spent: 0, held: 7_000 });
  });

  it("spends a budget of ten cents on one impression at a bid of ten thousand, and on no second one", async () => {
    const tenCents = 10_000;
    const wallet = await TestWallet.open(money, redis, { budgetMillicents: tenCents });
    const requests = Array.from({ length: REQUESTS }, () => wallet.request({ price_millicents: tenCents }));
    const holds = await Promise.all(requests.map((request, i) => instance(i).reserve(request)));
    expect(holds.filter(({ outcome }) => outcome === "held")).toHaveLength(1);
    const charges = await times(REQUESTS, () => wallet.commit());
    expect(charges.filter(isNewCharge)).toHaveLength(1);
    expect(await wallet.spentAndHeld()).toEqual({ spent: tenCents, held: 0 });
    expect(await money.reserve(wallet.request({ price_millicents: 1 }))).toMatchObject({ reason: "budget" });
  });

  it("gives a session no creative more often than its cap says", async () => {
    const wallet = await TestWallet.open(money, redis);
    const creatives = [
      { creativeId: "crt_a", maxUses: 3 },
      { creativeId: "crt_b", maxUses: 2 },
    ];
    const results = await times(REQUESTS, (i) =>
      instance(i).reserve(wallet.request({ session_key: "s" }, { creatives })),
    );
    const given = results.flatMap((result) => (result.outcome === "held" ? [result.creativeId] : []));
    expect(given.sort()).toEqual(["crt_a", "crt_a", "crt_a", "crt_b", "crt_b"]);
  });

  it("charges a match once under concurrent retries, and returns the same record to all", async () => {
    const wallet = await TestWallet.open(money, redis);
    const { match_id: matchId } = await wallet.hold();
    await wallet.hold();
    const request = (i: number) => ({
      advertiserId: wallet.advertiserId,
      campaignId: wallet.campaignId,
      gameId: wallet.gameId,
      creativeId: wallet.creativeId,
      operationId: `op_${i}`,
      matchId,
      nowMs: Date.now(),
    });
    const results = await times(REQUESTS, (i) => instance(i).commit(request(i)));
    expect(results.filter(isNewCharge)).toHaveLength(1);
    expect(new Set(results.map((result) => JSON.stringify(asReplay(result)))).size).toBe(1);
    expect(await wallet.spentAndHeld()).toEqual({ spent: 1_000, held: 1_000 });
    expect((await money.listOutbox(wallet.advertiserId, 100)).items).toHaveLength(1);
  });

  it("bills each of many matches once when impressions name none", async () => {
    const wallet = await TestWallet.open(money, redis);
    const matches = await times(20, () => wallet.hold());
    const results = await times(REQUESTS, () => wallet.commit());
    const billed = results.flatMap((result) =>
      result.outcome === "charged" ? [result.record.match.match_id] : [],
    );
    expect(billed.sort()).toEqual(matches.map((match) => match.match_id).sort());
    expect(await wallet.spentAndHeld()).toEqual({ spent: 20_000, held: 0 });
  });

  it("ends every hold once when impressions, releasers and cancellations race", async () => {
    const wallet = await TestWallet.open(money, redis);
    const matches = await times(30, () => wallet.hold());
    for (const match of matches) await wallet.age(match, HOLD_TTL_MS);
    const attempts = matches.flatMap((match, i) => [
      () => instance(i).release(holdOf(match), "lapsed"),
      () => wallet.commit({ matchId: match.match_id }),
      () => instance(i + 1).release(holdOf(match), i % 2 === 0 ? "lapsed" : "cancelled"),
    ]);
    const turned = attempts.map((attempt, i) => ({ attempt, at: (i * 37) % attempts.length }));
    await Promise.all(turned.sort((a, b) => a.at - b.at).map(({ attempt }) => attempt()));
    const { account } = await wallet.totals();
    expect(account.heldMillicents).toBe(0);
    expect(account.spentMillicents).toBe(account.impressions * 1_000);
    expect((await money.listOutbox(wallet.advertiserId, 100)).items).toHaveLength(account.impressions);
    expect(await redis.zcard(walletKeys.holds(wallet.advertiserId))).toBe(0);
  });

  it("never spends past a budget that is lowered meanwhile", async () => {
    const wallet = await TestWallet.open(money, redis);
    await times(30, () => wallet.hold());
    const lowering = (async () => {
      for (let ceiling = 20_000; ; ceiling += 1_000) {
        const result = await money.setBudgetCeiling(wallet.advertiserId, wallet.campaignId, ceiling);
        if (result.outcome === "ok") return ceiling;
      }
    })();
    await times(REQUESTS, () => wallet.commit());
    const ceiling = await lowering;
    await times(REQUESTS, () => wallet.commit());
    expect((await wallet.spentAndHeld()).spent).toBe(ceiling);
  });

  it("works after every script has been forgotten by the server", async () => {
    const wallet = await TestWallet.open(money, redis);
    const sessions = createGameSessions(redis);
    const flush = () =>
      "nodes" in redis
        ? Promise.all(redis.nodes("master").map((node) => node.script("FLUSH")))
        : redis.script("FLUSH");
    const calls: (() => Promise<unknown>)[] = [
      () =>
        money.applyAccount({
          advertiserId: wallet.advertiserId,
          version: 2,
          depositedMillicents: 9_000,
        }),
      () => money.applyCampaign(wallet.campaign({ version: 2 })),
      () => money.setBudgetCeiling(wallet.advertiserId, wallet.campaignId, 8_000),
      () =>
        sessions.admit({
          gameId: wallet.gameId,
          sessionKey: "s",
          matchId: newId("mat"),
          advertiserId: wallet.advertiserId,
          maxAds: 1,
          idleMs: 1_000,
        }),
      () => wallet.hold({ match_id: "mat_1", session_key: "s" }, { campaignVersion: 2 }),
      () => wallet.commit({ matchId: "mat_1" }),
      () => money.release(holdOf(wallet.match({ match_id: "mat_1", session_key: "s" })), "lapsed"),
      () => money.listLapsed(wallet.advertiserId, 10),
    ];
    for (const call of calls) {
      await flush();
      await call();
    }
    expect(await wallet.spentAndHeld()).toEqual({ spent: 1_000, held: 0 });
  });
});
