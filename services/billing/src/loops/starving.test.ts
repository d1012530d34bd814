import { createDatabase, type Database, utcDay } from "@diegetic/database";
import {
  type BillingProducer,
  connectRedis,
  createBillingProducer,
  createMoneyCommands,
  type MoneyCommands,
} from "@diegetic/hot-state";
import { createLogger, createMetrics } from "@diegetic/service-kit";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { walkAllAdvertisers } from "../backstop-walk.ts";
import { createBillingMeasures } from "../measures.ts";
import { Releaser } from "../release/releaser.ts";
import { MAX_CONCURRENT_CALLS, Settler } from "../settle/settler.ts";
import { damagedRecordKeeper } from "../sweep/damaged-records.ts";
import { Sweeper } from "../sweep/sweeper.ts";
import { createMarket, recordIn } from "../testing/market.fixture.ts";
import { Wallets } from "../testing/wallets.fixture.ts";
import { DayPartitions } from "../write/day-partitions.ts";

const LATER_MS = 3_600_000;
const running = new AbortController().signal;
const logger = createLogger({ service: "billing", instance: "test", level: "silent" });

let server: TestDatabase;
let redis: TestRedis;
let database: Database;
let wallets: Wallets;
let producer: BillingProducer;

beforeAll(async () => {
  [server, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
  database = createDatabase(server.url);
});
afterAll(async () => {
  await database.$disconnect();
  await Promise.all([server.drop(), redis.stop()]);
});
beforeEach(async () => {
  await database.$executeRaw`TRUNCATE advertisers, wallet_settlements, quarantined_impressions CASCADE`;
  wallets = await Wallets.open(await createMarket(database), redis.url);
  producer = createBillingProducer(redis.url);
});
afterEach(async () => {
  await producer.close();
  await wallets.redis.flushall();
  wallets.close();
});

/** The loops of an instance an hour from now. */
function loops() {
  const { money, due, sessions } = wallets;
  const measures = createBillingMeasures(createMetrics({ service: "billing" }));
  const nowMs = () => Date.now() + LATER_MS;
  const quarantine = damagedRecordKeeper({ database, money, measures, logger });
  const sweeper = new Sweeper({
    money,
    due,
    producer,
    isQueueSilent: () => false,
    write: () => Promise.reject(new Error("Redis is not full")),
    quarantine,
    measures,
    nowMs,
    overdueAfterMs: 5_000,
  });
  const releaser = new Releaser({ money, sessions, due, onLapsed: () => {}, measures, logger, nowMs });
  const settler = new Settler({ database, money, measures });
  const partitions = new DayPartitions(database);
  const walk = () =>
    walkAllAdvertisers(
      { database, sweeper, releaser, partitions, nowMs: Date.now, advertisersPerPage: 2 },
      running,
    );
  return { sweeper, releaser, settler, walk };
}

/** In the order of their ids, as the walk and the settler meet them. */
function advertisers(): string[] {
  return [...new Set(wallets.market.campaigns.map(({ advertiserId }) => advertiserId))].sort();
}

/** What is there is of another type: every command on it fails. */
async function breakKey(name: string): Promise<void> {
  await wallets.redis.del(name);
  await wallets.redis.set(name, "broken");
}

/** Charges that Postgres has and the campaign's wallet lacks. */
async function missCharges(campaign: number, impressionIds: readonly string[]): Promise<void> {
  const { match } = recordIn(wallets.market, { campaign });
  await database.walletSettlement.createMany({
    data: impressionIds.map((impressionId) => ({
      impressionId,
      kind: "late",
      advertiserId: match.advertiser_id,
      campaignId: match.campaign_id,
      gameId: match.game_id,
      matchId: match.match_id,
      priceMillicents: 250n,
      day: new Date(utcDay(Date.now())),
      committedInEpoch: 0n,
    })),
  });
}

describe("one bad advertiser", () => {
  it("does not keep the backstop walk from the others", async () => {
    const market = await createMarket(database);
    const more = await Wallets.open(market, redis.url);
    await wallets.impress({ campaign: 0 });
    await wallets.impress({ campaign: 2 });
    await more.impress({ campaign: 0 });
    await more.impress({ campaign: 2 });
    more.close();
    const all = await database.advertiser.findMany({ orderBy: { id: "asc" }, select: { id: true } });
    expect(all).toHaveLength(4);
    await breakKey(`{${all[0]?.id}}:outbox`);
    await expect(loops().walk()).rejects.toThrow("WRONGTYPE");
    expect(await producer.depth()).toBe(3);
  });

  it("does not keep those that are due later from being visited, also where many are bad", async () => {
    const { redis: connection, due, money } = wallets;
    const record = await wallets.impress({ campaign: 0 });
    await wallets.hold({ campaign: 0 }, { ttlMs: 1 });
    const { advertiser_id: advertiserId } = record.match;
    const bad = Array.from({ length: 200 }, (_, index) => `adv_bad${index}`);
    for (const id of bad) {
      for (const key of ["outbox", "holds"]) await connection.set(`{${id}}:${key}`, "broken");
      await due.register("outbox", id, 1_000);
      await due.register("holds", id, 1_000);
    }
    const { sweeper, releaser } = loops();
    for (const loop of [sweeper, releaser]) {
      await expect(loop.pass(running)).rejects.toThrow("WRONGTYPE");
      await loop.pass(running);
    }
    expect(await producer.depth()).toBe(1);
    expect((await money.readAccount(advertiserId))?.heldMillicents).toBe(0);
  });

  it("does not have settlements of others settled again and again", async () => {
    const [bad = "", good = ""] = advertisers();
    for (const index of wallets.market.campaigns.keys()) await missCharges(index, [`imp_${index}`]);
    await breakKey(`{${bad}}:account`);
    await expect(loops().settler.pass(running)).rejects.toThrow("WRONGTYPE");
    const left = await database.walletSettlement.findMany({ where: { settledAt: null } });
    expect(left.map(({ advertiserId }) => advertiserId)).toEqual([bad, bad]);
    expect((await wallets.money.readAccount(good))?.spentMillicents).toBe(500);
  });

  it("does not keep the settler from the others with more than a page of settlements", async () => {
    const [bad = "", good = ""] = advertisers();
    const campaignOf = (id: string) =>
      wallets.market.campaigns.findIndex(({ advertiserId }) => advertiserId === id);
    await missCharges(
      campaignOf(bad),
      Array.from({ length: 401 }, (_, index) => `imp_${1_000 + index}`),
    );
    await missCharges(campaignOf(good), ["imp_2000"]);
    await breakKey(`{${bad}}:account`);
    await expect(loops().settler.pass(running)).rejects.toThrow("WRONGTYPE");
    expect((await wallets.money.readAccount(good))?.spentMillicents).toBe(250);
  });

  it("has a pass of the settler ask an unavailable wallet a few times only", async () => {
    const [gone = "", good = ""] = advertisers();
    const campaignOf = (id: string) =>
      wallets.market.campaigns.findIndex(({ advertiserId }) => advertiserId === id);
    await missCharges(
      campaignOf(gone),
      Array.from({ length: 401 }, (_, index) => `imp_${1_000 + index}`),
    );
    await missCharges(campaignOf(good), ["imp_2000"]);
    const cutOff = connectRedis(redis.url, { name: "cut off" });
    cutOff.disconnect();
    const unavailable = createMoneyCommands(cutOff);
    let calls = 0;
    const money: Pick<MoneyCommands, "settle"> = {
      settle: (settlement) => {
        if (settlement.walletId !== gone) return wallets.money.settle(settlement);
        calls += 1;
        return unavailable.settle(settlement);
      },
    };
    const measures = createBillingMeasures(createMetrics({ service: "billing" }));
    await expect(new Settler({ database, money, measures }).pass(running)).rejects.toThrow();
    expect(calls).toBeLessThanOrEqual(MAX_CONCURRENT_CALLS);
    expect((await wallets.money.readAccount(good))?.spentMillicents).toBe(250);
  });

  it("writes an advertiser's valid records despite a damaged entry", async () => {
    const sound = await wallets.impress({ campaign: 0 });
    const { advertiser_id: advertiserId } = sound.match;
    const bad = { imp_bad: "{", "no name\u0000": "\u0000", imp_null: "null" };
    await wallets.redis.hset(`{${advertiserId}}:outbox`, bad);
    const { sweeper } = loops();
    await sweeper.sweep(advertiserId);
    expect((await wallets.money.listOutbox(advertiserId, 500)).items).toEqual([sound]);
    expect(await wallets.redis.hlen(`{${advertiserId}}:outbox`)).toBe(1);
    expect(await producer.depth()).toBe(1);
    const kept = await database.quarantinedImpression.findMany({ orderBy: { impressionId: "asc" } });
    expect(kept.map(({ impressionId, advertiserId: of, record }) => [impressionId, of, record])).toEqual([
      ["imp_bad", advertiserId, '"{"'],
      ["imp_null", advertiserId, '"null"'],
      [expect.stringMatching(/^unnamed_[0-9a-f]{64}$/), advertiserId, '"\\u0000"'],
    ]);
  });
});
