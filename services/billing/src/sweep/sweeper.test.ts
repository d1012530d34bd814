import type { ImpressionRecord } from "@diegetic/contracts";
import { type BillingProducer, createBillingProducer } from "@diegetic/hot-state";
import { createMetrics } from "@diegetic/service-kit";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { createBillingMeasures } from "../measures.ts";
import { pick } from "../testing/market.fixture.ts";
import { Wallets } from "../testing/wallets.fixture.ts";
import { Sweeper } from "./sweeper.ts";

/** Longer than any test takes. */
const OVERDUE_AFTER_MS = 600_000;
const running = new AbortController().signal;

let redis: TestRedis;
let wallets: Wallets;
let producer: BillingProducer;
let written: ImpressionRecord[] = [];

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  const campaigns = ["1", "2"].map((n) => ({
    advertiserId: `adv_${n}`,
    campaignId: `camp_${n}`,
    creativeIds: [`crt_${n}`, `crt_${n}b`] as [string, string],
    affinityIds: [`aff_${n}`, `aff_${n}b`] as [string, string],
  }));
  wallets = await Wallets.open({ campaigns, games: [{ gameId: "game", accountId: "acct" }] }, redis.url);
  producer = createBillingProducer(redis.url);
  written = [];
});
afterEach(async () => {
  await producer.close();
  await wallets.redis.flushall();
  wallets.close();
});

/** A sweeper at a moment, so long after now. */
function sweeperIn(ms: number, isSilent = false) {
  const metrics = createMetrics({ service: "billing" });
  const sweeper = new Sweeper({
    money: wallets.money,
    due: wallets.due,
    producer,
    isQueueSilent: () => isSilent,
    write: async (records) => {
      written.push(...records);
    },
    quarantine: () => Promise.reject(new Error("nothing is damaged here")),
    measures: createBillingMeasures(metrics),
    nowMs: () => Date.now() + ms,
    overdueAfterMs: OVERDUE_AFTER_MS,
  });
  return { sweeper, exposition: async () => (await metrics.exposition()).text };
}

async function impress(count: number): Promise<ImpressionRecord[]> {
  const records: ImpressionRecord[] = [];
  for (let i = 0; i < count; i++) records.push(await wallets.impress({ campaign: i }, OVERDUE_AFTER_MS));
  return records;
}

describe("Sweeper", () => {
  it("queues again what was committed and never queued, once it is overdue", async () => {
    await impress(6);
    await sweeperIn(0).sweeper.pass(running);
    expect(await producer.depth()).toBe(0);
    const { sweeper, exposition } = sweeperIn(OVERDUE_AFTER_MS + 1);
    await sweeper.pass(running);
    expect(await producer.depth()).toBe(2);
    expect(await exposition()).toMatch(/billing_records_requeued_total\{.*\} 6/);
    expect(await exposition()).toMatch(/billing_outbox_overdue_records\{.*\} 6/);
    // The same records once more are the same job.
    await sweeperIn(3 * OVERDUE_AFTER_MS).sweeper.pass(running);
    expect(await producer.depth()).toBe(2);
  });

  it("writes overdue records without the queue when the memory of Redis is full", async () => {
    const records = await impress(4);
    await wallets.redis.config("SET", "maxmemory", "1");
    try {
      await Promise.all(["adv_1", "adv_2"].map((id) => sweeperIn(OVERDUE_AFTER_MS + 1).sweeper.sweep(id)));
    } finally {
      await wallets.redis.config("SET", "maxmemory", "0");
    }
    const ids = (list: ImpressionRecord[]) => list.map(({ impression_id }) => impression_id).sort();
    expect(ids(written)).toEqual(ids(records));
    expect(await producer.depth()).toBe(0);
  });

  it("writes overdue records without the queue when that delivers nothing, however many jobs wait in it", async () => {
    const records = await impress(4);
    const { sweeper, exposition } = sweeperIn(OVERDUE_AFTER_MS + 1, true);
    await sweeper.pass(running);
    expect(written).toHaveLength(records.length);
    expect(await producer.depth()).toBe(0);
    expect(await exposition()).toMatch(/billing_records_past_queue_total\{.*\} 4/);
  });

  it("leaves an advertiser alone when its outbox is empty", async () => {
    const records = await impress(4);
    for (const { impression_id, match } of records) {
      await wallets.money.ackOutbox(match.advertiser_id, [impression_id]);
    }
    const { sweeper, exposition } = sweeperIn(2 * OVERDUE_AFTER_MS);
    await sweeper.pass(running);
    expect(await wallets.due.registered("outbox", 10)).toEqual([]);
    expect(await producer.depth()).toBe(0);
    expect(await exposition()).toMatch(/billing_outbox_overdue_records\{.*\} 0/);
  });

  it("keeps looking as long as records are left", async () => {
    await impress(2);
    await sweeperIn(0).sweeper.sweep(pick(wallets.market.campaigns, 0).advertiserId);
    await sweeperIn(OVERDUE_AFTER_MS + 1).sweeper.pass(running);
    expect(await wallets.due.registered("outbox", 10)).toHaveLength(2);
  });

  it("queues records from its clock's future again, because their age is unknown", async () => {
    await impress(2);
    const { sweeper, exposition } = sweeperIn(-3_600_000);
    for (const { advertiserId } of wallets.market.campaigns) await sweeper.sweep(advertiserId);
    expect(await producer.depth()).toBe(2);
    await sweeper.pass(running);
    expect(await exposition()).toMatch(/billing_outbox_oldest_seconds\{.*\} 0/);
  });

  it("adds nothing to a queue that is full", async () => {
    const records = await impress(2);
    const [record] = records;
    if (record === undefined) throw new Error("no record");
    for (let i = 0; i < 100; i++) await producer.add([{ ...record, impression_id: `imp_${i}` }]);
    await sweeperIn(OVERDUE_AFTER_MS + 1).sweeper.pass(running);
    expect(await producer.depth()).toBe(100);
    expect(await wallets.due.registered("outbox", 10)).toHaveLength(2);
  });
});
