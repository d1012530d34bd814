import { newId } from "@diegetic/contracts";
import { startTestRedisCluster, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { RedisConnection } from "../connection.ts";
import { walletKeys } from "../keys.ts";
import { createMoneyCommands } from "../money/commands.ts";
import { TestWallet } from "../money/testing/wallet.ts";
import type { MoneyCommands } from "../money/types.ts";
import { UnexpectedReply } from "../reply.ts";
import { createWalletReader, type WalletReader } from "./wallet-reader.ts";

const LIMITS = { holds: 100, records: 100, lateMs: 60_000 };

let server: TestRedis;
let redis: RedisConnection;
let money: MoneyCommands;
let reader: WalletReader;

beforeAll(async () => {
  server = await startTestRedisCluster();
  redis = connectTestRedis(server.url);
  money = createMoneyCommands(redis);
  reader = createWalletReader(redis);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

describe("reading a wallet for reconciliation, on a cluster", () => {
  it("says that a wallet cannot be read whose outbox holds what is no record", async () => {
    const wallet = await TestWallet.open(money, redis);
    await redis.hset(walletKeys.outbox(wallet.advertiserId), "imp_bad", "{");
    await expect(reader.read(wallet.advertiserId, [wallet.campaignId], LIMITS)).rejects.toThrow(
      UnexpectedReply,
    );
  });

  it("has totals, holds and outbox of one moment, of any number of campaigns", async () => {
    const wallet = await TestWallet.open(money, redis);
    const others = Array.from({ length: 70 }, () => newId("camp"));
    for (const campaignId of others.slice(0, 69)) {
      await money.applyCampaign(wallet.campaign({ campaignId }));
    }
    await wallet.hold({ campaign_version: 3 });
    await wallet.hold({ price_millicents: 250 });
    const charged = await wallet.commit();
    if (charged.outcome !== "charged") throw new Error(charged.reason);
    const summary = await reader.read(wallet.advertiserId, [...others, wallet.campaignId], LIMITS);
    expect(summary).toMatchObject({
      account: {
        depositedMillicents: 1_000_000,
        spentMillicents: 1_000,
        heldMillicents: 250,
        impressions: 1,
        live: true,
      },
      holds: { count: 1, sumMillicents: 250, lapsedLongAgo: 0 },
      outbox: { count: 1, records: [charged.record] },
      sessionReleases: { count: 0, some: [] },
    });
    expect(summary?.campaigns).toHaveLength(70);
    expect(summary?.campaigns.at(-1)).toMatchObject({
      campaignId: wallet.campaignId,
      spentMillicents: 1_000,
      heldMillicents: 250,
      holdsMillicents: 250,
    });
    expect(await reader.newestHeldVersion(wallet.advertiserId, wallet.campaignId)).toBe(1);
    await wallet.hold({ campaign_version: 3 });
    expect(await reader.newestHeldVersion(wallet.advertiserId, wallet.campaignId)).toBe(3);
  });

  it("finds the newest version of the holds beside a damaged one", async () => {
    const wallet = await TestWallet.open(money, redis);
    await wallet.hold({ campaign_version: 3 });
    const damaged = `mat_damaged|${wallet.campaignId}|%zz|session|acct_1|250`;
    await redis.zadd(walletKeys.holds(wallet.advertiserId), Date.now() + 600_000, damaged);
    expect(await reader.newestHeldVersion(wallet.advertiserId, wallet.campaignId)).toBe(3);
  });

  it("says what is too much to read at once", async () => {
    const wallet = await TestWallet.open(money, redis);
    for (let i = 0; i < 3; i++) await wallet.hold();
    await wallet.commit();
    await wallet.commit();
    const summary = await reader.read(wallet.advertiserId, [wallet.campaignId], {
      holds: 0,
      records: 1,
      lateMs: 0,
    });
    expect(summary).toMatchObject({
      holds: { count: 1, sumMillicents: null },
      outbox: { count: 2, records: null },
      campaigns: [{ holdsMillicents: null }],
    });
  });

  it("recognises a missing wallet and an unverified one", async () => {
    expect(await reader.read(newId("adv"), [newId("camp")], LIMITS)).toMatchObject({
      account: null,
      campaigns: [],
    });
    const wallet = await TestWallet.open(money, redis);
    await redis.hset(walletKeys.account(wallet.advertiserId), "lineage", "another");
    const summary = await reader.read(wallet.advertiserId, [wallet.campaignId], LIMITS);
    expect(summary).toMatchObject({ account: { live: false } });
  });
});
