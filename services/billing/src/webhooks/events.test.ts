import type { ImpressionRecord } from "@diegetic/contracts";
import { newId } from "@diegetic/contracts";
import { type Database, dateOfDay, utcDay } from "@diegetic/database";
import { type BillingProducer, createBillingProducer } from "@diegetic/hot-state";
import { createMetrics } from "@diegetic/service-kit";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { createBillingMeasures } from "../measures.ts";
import { Sweeper } from "../sweep/sweeper.ts";
import { createMarket, type Market, pick, recordIn } from "../testing/market.fixture.ts";
import { Wallets } from "../testing/wallets.fixture.ts";
import { WriterStores } from "../testing/writer-stores.fixture.ts";
import { HoldOutcomes } from "./hold-outcomes.ts";
import { announceDelayedPayouts, announcePayouts } from "./payouts.ts";

const HOUR_MS = 3_600_000;

let stores: WriterStores;
let database: Database;
let market: Market;
beforeAll(async () => {
  stores = await WriterStores.open();
  database = stores.database;
});
afterAll(() => stores.close());
beforeEach(async () => {
  market = await createMarket(database);
});

const webhookOf = (accountId: string, events: string[]) => ({
  id: newId("whk"),
  accountId,
  url: "https://studio.example/",
  events,
  balanceLowCents: 100,
  holdExpiryPercent: 50,
  holdExpiryMinMatches: 4,
  secret: "whsec_1",
});

async function subscribe(accountId: string, events: string[], more: object = {}): Promise<void> {
  await database.webhook.create({ data: { ...webhookOf(accountId, events), ...more } });
}

/** What was recorded for the account, the oldest first. */
async function recorded(accountId: string) {
  const events = await database.webhookEvent.findMany({ where: { accountId }, orderBy: { id: "asc" } });
  const deliveries = await database.webhookDelivery.count({ where: { accountId, status: "pending" } });
  expect(deliveries).toBe(events.length);
  return events.map(({ type, data }) => ({ type, ...(data as { period?: string }) }));
}

async function advertiserOf(campaign: number) {
  const { advertiserId, campaignId } = pick(market.campaigns, campaign);
  const { accountId } = await database.advertiser.findUniqueOrThrow({ where: { id: advertiserId } });
  return { advertiserId, campaignId, accountId };
}

const impressions = (count: number, priceMillicents = 250): ImpressionRecord[] =>
  Array.from({ length: count }, (_, user) => recordIn(market, { user, priceMillicents }));

describe("campaign.exhausted", () => {
  it("is recorded once, by the batch after which no impression can be paid", async () => {
    const { accountId, campaignId } = await advertiserOf(0);
    await subscribe(accountId, ["campaign.exhausted"]);
    // Ten impressions of a bid of 100 cents a thousand.
    await database.campaign.update({
      where: { id: campaignId },
      data: { status: "active", budgetCents: 1, cpmBidCents: 100 },
    });
    await stores.write(impressions(9, 100));
    expect(await recorded(accountId)).toEqual([]);
    const last = impressions(1, 100);
    await stores.write(last);
    await stores.write(last);
    const event = {
      type: "campaign.exhausted",
      campaign_id: campaignId,
      name: "c",
      budget_cents: 1,
      spent_millicents: 1_000,
    };
    expect(await recorded(accountId)).toEqual([event]);
    await database.campaign.update({ where: { id: campaignId }, data: { budgetCents: 2 } });
    await database.campaign.update({ where: { id: campaignId }, data: { budgetCents: 1 } });
    expect(await recorded(accountId)).toEqual([event, event]);
  });

  it("is recorded without reading deliveries, of which a webhook may have many", async () => {
    const { accountId, campaignId } = await advertiserOf(0);
    await subscribe(accountId, ["campaign.exhausted"]);
    const data = { status: "active" as const, budgetCents: 1, cpmBidCents: 100, spentMillicents: 1_000 };
    await database.$transaction(async (transaction) => {
      const countOfConnection = async (): Promise<unknown> => {
        const [counts] = await transaction.$queryRaw<unknown[]>`
          SELECT seq_scan + idx_scan AS scans FROM pg_stat_xact_user_tables WHERE relname = 'webhook_deliveries'`;
        return counts;
      };
      const before = await countOfConnection();
      await transaction.campaign.update({ where: { id: campaignId }, data });
      expect(await countOfConnection()).toEqual(before);
    });
    expect(await recorded(accountId)).toHaveLength(1);
  });

  it("is not recorded by a batch that is rolled back", async () => {
    const { accountId, campaignId } = await advertiserOf(0);
    await subscribe(accountId, ["campaign.exhausted"]);
    await database.campaign.update({
      where: { id: campaignId },
      data: { status: "active", budgetCents: 1, cpmBidCents: 100 },
    });
    const work = database.$transaction(async (transaction) => {
      await transaction.campaign.update({ where: { id: campaignId }, data: { spentMillicents: 1_000 } });
      expect(await transaction.webhookEvent.count({ where: { accountId } })).toBe(1);
      throw new Error("rolled back");
    });
    await expect(work).rejects.toThrow("rolled back");
    expect(await recorded(accountId)).toEqual([]);
  });
});

describe("balance.low", () => {
  it("is recorded once for each threshold that the balance falls below, and again after a deposit", async () => {
    const { accountId, advertiserId } = await advertiserOf(0);
    await subscribe(accountId, ["balance.low"], { balanceLowCents: 2 });
    await subscribe(accountId, ["balance.low"], { balanceLowCents: 1 });
    await database.advertiser.update({ where: { id: advertiserId }, data: { depositedMillicents: 3_000 } });
    const event = (balance: number, threshold: number) => ({
      type: "balance.low",
      advertiser_id: advertiserId,
      balance_millicents: balance,
      threshold_cents: threshold,
    });
    await stores.write(impressions(4));
    expect(await recorded(accountId)).toEqual([]);
    await stores.write(impressions(1));
    await stores.write(impressions(1));
    expect(await recorded(accountId)).toEqual([event(1_750, 2)]);
    await stores.write(impressions(4));
    expect(await recorded(accountId)).toEqual([event(1_750, 2), event(500, 1)]);
    await database.advertiser.update({
      where: { id: advertiserId },
      data: { depositedMillicents: { increment: 700 } },
    });
    await stores.write(impressions(1));
    expect((await recorded(accountId)).slice(2)).toEqual([event(950, 1)]);
  });
});

describe("holds.expiry_rate_high", () => {
  it("is recorded for the developer when the share is reached, once an hour at most", async () => {
    let nowMs = Date.parse("2026-11-24T12:00:30Z");
    const { accountId } = pick(market.games, 0);
    await database.account.create({ data: { id: accountId, label: "studio" } });
    await subscribe(accountId, ["holds.expiry_rate_high"]);
    const first = new HoldOutcomes(database);
    const second = new HoldOutcomes(database);
    for (let count = 0; count < 3; count++) first.countLapsed(accountId);
    await first.pass(nowMs);
    expect(await recorded(accountId)).toEqual([]);
    second.countCharged(impressions(3));
    await Promise.all([first.pass(nowMs), second.pass(nowMs)]);
    await Promise.all([first.pass(nowMs), second.pass(nowMs)]);
    const event = {
      type: "holds.expiry_rate_high",
      lapsed_matches: 3,
      ended_matches: 6,
      threshold_percent: 50,
    };
    expect(await recorded(accountId)).toEqual([event]);
    // Below the share, and above it again within the hour.
    second.countCharged(impressions(1));
    await second.pass(nowMs);
    first.countLapsed(accountId);
    await first.pass(nowMs);
    expect(await recorded(accountId)).toEqual([event]);
    nowMs += HOUR_MS;
    await first.pass(nowMs);
    for (let count = 0; count < 4; count++) first.countLapsed(accountId);
    await first.pass(nowMs);
    expect(await recorded(accountId)).toEqual([event, { ...event, lapsed_matches: 4, ended_matches: 4 }]);
    expect(await database.holdOutcome.count({ where: { accountId } })).toBe(1);
  });

  it("is counted by processes that store the same accounts at once", async () => {
    const accounts = Array.from({ length: 2_000 }, () => ({
      id: newId("acct"),
      label: "studio",
    }));
    await database.account.createMany({ data: accounts });
    await database.webhook.createMany({
      data: accounts.map(({ id }) => webhookOf(id, ["holds.expiry_rate_high"])),
    });
    const [first, second] = [new HoldOutcomes(database), new HoldOutcomes(database)];
    for (const { id } of accounts) first.countLapsed(id);
    for (const { id } of accounts.reverse()) second.countLapsed(id);
    await Promise.all([first.pass(Date.now()), second.pass(Date.now())]);
    const { _sum: sum } = await database.holdOutcome.aggregate({
      _sum: { lapsed: true },
      where: { accountId: { in: accounts.map(({ id }) => id) } },
    });
    expect(sum.lapsed).toBe(4_000n);
  });

  it("skips records without an account, which the writer quarantines", async () => {
    const { accountId } = pick(market.games, 0);
    await database.account.create({ data: { id: accountId, label: "studio" } });
    await subscribe(accountId, ["holds.expiry_rate_high"]);
    const outcomes = new HoldOutcomes(database);
    const damaged = { ...recordIn(market), match: null } as unknown as ImpressionRecord;
    const unnamed = recordIn(market);
    Object.assign(unnamed.match, { developer_account_id: 5 });
    outcomes.countCharged([damaged, unnamed, recordIn(market)]);
    await outcomes.pass(Date.now());
    expect(await database.holdOutcome.findMany({ where: { accountId } })).toMatchObject([{ charged: 1n }]);
  });

  it("keeps counts that could not be stored for the next pass", async () => {
    const { accountId } = pick(market.games, 0);
    await database.account.create({ data: { id: accountId, label: "studio" } });
    await subscribe(accountId, ["holds.expiry_rate_high"]);
    const outcomes = new HoldOutcomes(database);
    outcomes.countLapsed(accountId);
    outcomes.countCharged(impressions(2));
    await database.$executeRaw`ALTER TABLE hold_outcomes RENAME TO moved_outcomes`;
    const failed = outcomes.pass(Date.now());
    // Counted while the others are being stored.
    outcomes.countLapsed(accountId);
    await expect(failed).rejects.toThrow("hold_outcomes");
    await database.$executeRaw`ALTER TABLE moved_outcomes RENAME TO hold_outcomes`;
    await outcomes.pass(Date.now());
    const stored = { lapsed: 2n, charged: 2n };
    expect(await database.holdOutcome.findMany({ where: { accountId } })).toMatchObject([stored]);
  });

  it("counts nothing for an account id that Postgres cannot store", async () => {
    const { accountId } = pick(market.games, 0);
    await database.account.create({ data: { id: accountId, label: "studio" } });
    await subscribe(accountId, ["holds.expiry_rate_high"]);
    const outcomes = new HoldOutcomes(database);
    outcomes.countLapsed("acct\0");
    outcomes.countLapsed(accountId);
    await outcomes.pass(Date.now());
    expect(await database.holdOutcome.count({ where: { accountId } })).toBe(1);
  });

  it("keeps no counts of accounts that do not want to know", async () => {
    const outcomes = new HoldOutcomes(database);
    const { accountId } = pick(market.games, 0);
    outcomes.countLapsed(accountId);
    await outcomes.pass(Date.now());
    expect(await database.holdOutcome.count({ where: { accountId } })).toBe(0);
  });
});

describe("payout.figures_ready", () => {
  let wallets: Wallets;
  let producer: BillingProducer;
  beforeEach(async () => {
    await database.payoutPeriod.deleteMany();
    await database.delayedPayoutFigures.deleteMany();
    wallets = await Wallets.open(market, stores.redisUrl);
    producer = createBillingProducer(stores.redisUrl);
  });
  afterEach(async () => {
    await producer.close();
    await wallets.redis.flushall();
    wallets.close();
  });

  /** The account of a game, which wants to know its figures. */
  async function studio(game: number): Promise<string> {
    const { accountId } = pick(market.games, game);
    await database.account.create({ data: { id: accountId, label: "studio" } });
    await subscribe(accountId, ["payout.figures_ready"]);
    return accountId;
  }

  /** The day's figures of an account. The last day of a month comes with the month's. */
  const recordedOf = async (day: string, accountId: string) =>
    (await recorded(accountId)).filter(({ period }) => period === day);

  const announceAt = async (nowMs: number) => {
    const parts = { database, money: wallets.money, signal: new AbortController().signal };
    await announcePayouts({ ...parts, nowMs });
    await announceDelayedPayouts(parts);
  };

  it("waits for the period's impressions in outboxes, though the sweeper visits them, and for no later ones", async () => {
    const { accountId } = pick(market.games, 0);
    await database.account.create({ data: { id: accountId, label: "studio" } });
    await subscribe(accountId, ["payout.figures_ready"]);
    const first = await wallets.impress();
    const day = utcDay(first.recorded_at_ms);
    const dayMs = Date.parse(`${day}T00:00:00Z`);
    const nowMs = dayMs + 25 * HOUR_MS;
    const sweeper = new Sweeper({
      money: wallets.money,
      due: wallets.due,
      producer,
      isQueueSilent: () => false,
      write: (records) => stores.write(records),
      quarantine: (advertiserId, damaged) => stores.quarantineDamaged(advertiserId, damaged),
      measures: createBillingMeasures(createMetrics({ service: "billing" })),
      nowMs: () => nowMs,
      overdueAfterMs: 5_000,
    });
    await sweeper.pass(new AbortController().signal);
    await announceAt(dayMs + HOUR_MS);
    const announced = (period: string) => database.payoutPeriod.count({ where: { period } });
    expect(await announced(utcDay(dayMs - 1))).toBe(1);
    await announceAt(nowMs);
    expect(await announced(day)).toBe(1);
    expect(await recorded(accountId)).not.toContainEqual(expect.objectContaining({ period: day }));
    await stores.write([first]);
    await announceAt(nowMs);
    expect(await recorded(accountId)).toContainEqual(
      expect.objectContaining({ period: day, impressions: 1, earned_microcents: 175_000 }),
    );
  });

  it("is delayed by a record that cannot be written only for the account that earns from it", async () => {
    const [accountId, otherId] = [await studio(0), await studio(1)];
    const stuck = await wallets.impress({ game: 0 });
    const day = utcDay(stuck.recorded_at_ms);
    await stores.write([await wallets.impress({ game: 1 })]);
    const nowMs = Date.parse(day) + 25 * HOUR_MS;
    await announceAt(nowMs);
    await announceAt(nowMs);
    expect(await recordedOf(day, otherId)).toMatchObject([{ impressions: 1 }]);
    expect(await recorded(accountId)).toEqual([]);
    await stores.write([stuck]);
    await Promise.all([announceAt(nowMs), announceAt(nowMs)]);
    expect(await recordedOf(day, accountId)).toMatchObject([{ impressions: 1 }]);
    expect(await recordedOf(day, otherId)).toHaveLength(1);
  });

  it("is delayed by 11 000 records that wait in an outbox only for the account that earns from them", async () => {
    const [accountId, otherId] = [await studio(0), await studio(1)];
    const stuck = await wallets.impress({ game: 0 });
    const copies = Array.from({ length: 11_000 }, (_, i) => {
      const impressionId = `${stuck.impression_id}${i}`;
      return [impressionId, JSON.stringify({ ...stuck, impression_id: impressionId })];
    });
    await wallets.redis.hset(`{${stuck.match.advertiser_id}}:outbox`, ...copies.flat());
    const day = utcDay(stuck.recorded_at_ms);
    await stores.write([await wallets.impress({ game: 1 })]);
    await announceAt(Date.parse(day) + 25 * HOUR_MS);
    expect(await recordedOf(day, otherId)).toMatchObject([{ impressions: 1 }]);
    expect(await recorded(accountId)).toEqual([]);
  });

  it("looks into outboxes for complete days alone, not for delayed figures", async () => {
    await studio(0);
    const stuck = await wallets.impress({ game: 0 });
    const nowMs = Date.parse(utcDay(stuck.recorded_at_ms)) + 25 * HOUR_MS;
    let looks = 0;
    const listOutbox = (...given: Parameters<Wallets["money"]["listOutbox"]>) => {
      looks += 1;
      return wallets.money.listOutbox(...given);
    };
    const announce = () =>
      announcePayouts({ database, money: { listOutbox }, nowMs, signal: new AbortController().signal });
    await announce();
    expect(looks).toBeGreaterThan(0);
    expect(await database.delayedPayoutFigures.count()).toBeGreaterThan(0);
    looks = 0;
    await announce();
    expect(looks).toBe(0);
  });

  it("has earnings above 2^53 microcents as the nearest double", async () => {
    const { accountId, gameId } = pick(market.games, 0);
    await database.account.create({ data: { id: accountId, label: "studio" } });
    await subscribe(accountId, ["payout.figures_ready"]);
    const earningMicrocents = 9_100_000_000_000_001n;
    await database.gameRollup.create({
      data: { accountId, gameId, day: dateOfDay("2026-11-29"), impressions: 910_000_000, earningMicrocents },
    });
    await announceAt(Date.parse("2026-11-30T01:00:00Z"));
    expect(await recorded(accountId)).toEqual([
      expect.objectContaining({ earned_microcents: 9_100_000_000_000_000 }),
    ]);
  });

  it("is recorded once for each complete day and month", async () => {
    const { accountId, gameId } = pick(market.games, 0);
    await database.account.create({ data: { id: accountId, label: "studio" } });
    await subscribe(accountId, ["payout.figures_ready"]);
    const days = { "2026-11-29": 1, "2026-11-30": 2, "2026-12-01": 4 };
    for (const [day, impressions] of Object.entries(days)) {
      const row = { accountId, day: dateOfDay(day), impressions, earningMicrocents: impressions * 1_000 };
      await database.gameRollup.createMany({
        data: [
          { ...row, gameId },
          { ...row, gameId: `${gameId}2` },
        ],
      });
    }
    const announce = (moment: string) => announceAt(Date.parse(moment));
    const event = (period: string, from: string, to: string, impressions: number) => ({
      type: "payout.figures_ready",
      period,
      from,
      to,
      impressions,
      earned_microcents: impressions * 1_000,
    });
    await announce("2026-11-30T01:00:00Z");
    expect(await recorded(accountId)).toEqual([event("2026-11-29", "2026-11-29", "2026-11-29", 2)]);
    await announce("2026-12-01T00:59:59Z");
    expect(await recorded(accountId)).toHaveLength(1);
    await Promise.all([announce("2026-12-01T01:00:00Z"), announce("2026-12-01T01:00:00Z")]);
    expect((await recorded(accountId)).slice(1)).toEqual([
      event("2026-11-30", "2026-11-30", "2026-11-30", 4),
      event("2026-11", "2026-11-01", "2026-11-30", 6),
    ]);
    await announce("2026-12-02T12:00:00Z");
    expect((await recorded(accountId)).slice(3)).toEqual([
      event("2026-12-01", "2026-12-01", "2026-12-01", 8),
    ]);
  });
});
