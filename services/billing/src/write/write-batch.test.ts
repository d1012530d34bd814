import { type ImpressionRecord, newId } from "@diegetic/contracts";
import {
  createDatabase,
  createPipeline,
  DAY_MS,
  type Database,
  DatabaseUnavailable,
  type Pipeline,
  Prisma,
  utcDay,
} from "@diegetic/database";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { rounds } from "@diegetic/testing/rounds";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { expectTotals } from "../testing/expected-totals.fixture.ts";
import { createMarket, type Market, pick, type RecordChoice, recordIn } from "../testing/market.fixture.ts";
import { billImpression, RecordRefused } from "./billed-impression.ts";
import { DayPartitions } from "./day-partitions.ts";
import { findOnOtherDays } from "./other-days.ts";
import { prepareBatch } from "./prepare-batch.ts";
import { type WrittenBatch, writeBatch } from "./write-batch.ts";

const NOW_MS = Date.UTC(2026, 10, 21, 23, 59, 59, 999);

let server: TestDatabase;
/** Two workers with pools of their own. */
let workers: [Database, Database];
const pipelines = new Map<Database, Pipeline>();

beforeAll(async () => {
  server = await createTestDatabase();
  workers = [createDatabase(server.url), createDatabase(server.url)];
  for (const worker of workers) pipelines.set(worker, createPipeline(server.url));
});
afterAll(async () => {
  await Promise.all([
    ...workers.map((worker) => worker.$disconnect()),
    ...[...pipelines.values()].map((one) => one.close()),
  ]);
  await server.drop();
});

async function write(database: Database, records: ImpressionRecord[]): Promise<number> {
  const billed = records.map((record) => billImpression(record, NOW_MS));
  await new DayPartitions(database).ensure(billed.map(({ day }) => day));
  return (await writeBatch(pipelines.get(database) as Pipeline, await prepareBatch(billed))).written;
}

const choices = fc.array(
  fc.record<RecordChoice>({
    campaign: fc.nat(3),
    creative: fc.nat(1),
    game: fc.nat(1),
    user: fc.nat(4),
    countryCode: fc.constantFrom(null, "DE", "US"),
    priceMillicents: fc.integer({ min: 100, max: 10_000 }),
    basisPoints: fc.integer({ min: 0, max: 10_000 }),
    recordedAtMs: fc.integer({ min: NOW_MS - 2 * DAY_MS, max: NOW_MS }),
    score: fc.double({ min: 0, max: 150, noNaN: true }),
    campaignVersion: fc.integer({ min: 1, max: 3 }),
    contributions: fc.array(
      fc.record({ affinity: fc.nat(1), contribution: fc.constantFrom(0, 0.05, 0.1, 1.5, 3) }),
      { maxLength: 3 },
    ),
  }),
  { minLength: 1, maxLength: 40 },
);

type Pair = readonly [ImpressionRecord, ImpressionRecord];

/** Records of one impression on either side of midnight. */
function sameName(market: Market): Pair {
  const before = recordIn(market, { recordedAtMs: NOW_MS - DAY_MS });
  before.match.matched_at_ms = before.recorded_at_ms - 1_000;
  return [before, { ...before, recorded_at_ms: before.recorded_at_ms + 2_000 }];
}

/** Records of one impression of a match that is several days old at the second one. */
function sameLateName(market: Market): Pair {
  const before = recordIn(market, { recordedAtMs: NOW_MS - 5 * DAY_MS });
  return [before, { ...before, recorded_at_ms: NOW_MS }];
}

/** Records of one Idempotency-Key on either side of midnight: the later one is of another match. */
function sameKey(market: Market, apartMs: number): Pair {
  const before = recordIn(market, { recordedAtMs: NOW_MS - DAY_MS - 1 });
  const after = recordIn(market, { recordedAtMs: before.recorded_at_ms + apartMs });
  const operation_id = newId("op");
  return [
    { ...before, operation_id },
    { ...after, operation_id },
  ];
}

describe("writeBatch", () => {
  it("keeps every sum equal to a naive count, for overlapping batches written side by side", async () => {
    await fc.assert(
      fc.asyncProperty(
        choices,
        fc.array(fc.tuple(fc.nat(39), fc.nat(39)), { maxLength: 4 }),
        async (list, cuts) => {
          const market = await createMarket(workers[0]);
          const records = list.map((choice) => recordIn(market, choice));
          const batches = [records, ...cuts.map(([a, b]) => records.slice(Math.min(a, b), Math.max(a, b)))];
          const written = await Promise.all(batches.map((batch, i) => write(pick(workers, i), batch)));
          expect(written.reduce((sum, count) => sum + count, 0)).toBe(records.length);
          await expectTotals(workers[0], market, records);
        },
      ),
      { numRuns: rounds(5, 15) },
    );
  });

  it("moves nothing the second time", async () => {
    const market = await createMarket(workers[0]);
    const records = [0, 1, 2, 3].map((campaign) => recordIn(market, { campaign, recordedAtMs: NOW_MS }));
    expect(await write(workers[0], records)).toBe(4);
    expect(await write(workers[1], records)).toBe(0);
    await expectTotals(workers[0], market, records);
  });

  it.each([
    ["on either side of midnight, in their order", sameName, [0, 1]],
    ["on either side of midnight, in the other order", sameName, [1, 0]],
    ["five days later, in their order", sameLateName, [0, 1]],
    ["five days later, in the other order", sameLateName, [1, 0]],
  ])("writes an impression once that has a record %s", async (_name, recordsOf, order) => {
    const market = await createMarket(workers[0]);
    const [before, after] = recordsOf(market);
    expect(utcDay(after.recorded_at_ms)).not.toBe(utcDay(before.recorded_at_ms));
    const records = order.map((index) => pick([before, after], index));
    for (const [index, record] of records.entries()) {
      expect(await write(pick(workers, index), [record])).toBe(index === 0 ? 1 : 0);
    }
    await expectTotals(workers[0], market, records.slice(0, 1));
  });

  it.each([
    ["in their order", [0, 1]],
    ["in the other order", [1, 0]],
  ])(
    "writes an impression once whose key comes again after midnight, with another match, %s",
    async (_name, order) => {
      const market = await createMarket(workers[0]);
      const pair = sameKey(market, 2_000);
      const records = order.map((index) => pick(pair, index));
      for (const [index, record] of records.entries()) {
        expect(await write(pick(workers, index), [record])).toBe(index === 0 ? 1 : 0);
        expect(await write(pick(workers, 1 - index), [record])).toBe(0);
      }
      await expectTotals(workers[0], market, records.slice(0, 1));
    },
  );

  it("writes two impressions of one key when they are a day apart", async () => {
    const market = await createMarket(workers[0]);
    const records = [...sameKey(market, DAY_MS)];
    for (const record of records) expect(await write(workers[0], [record])).toBe(1);
    await expectTotals(workers[0], market, records);
  });

  it.each([
    ["of one match", (market: Market) => sameName(market)],
    ["of one key", (market: Market) => sameKey(market, 2_000)],
  ])("writes it once when both records, %s, are written side by side", async (_name, pairIn) => {
    const market = await createMarket(workers[0]);
    const pairs = Array.from({ length: 30 }, () => pairIn(market));
    const written = await Promise.all([
      write(
        workers[0],
        pairs.map(([before]) => before),
      ),
      write(
        workers[1],
        pairs.map(([, after]) => after),
      ),
    ]);
    expect(written[0] + written[1]).toBe(pairs.length);
  });

  it("takes few locks for a large batch on either side of midnight", async () => {
    const market = await createMarket(workers[0]);
    const records = Array.from({ length: 8_000 }, (_, n) =>
      recordIn(market, { campaign: n, recordedAtMs: NOW_MS }),
    );
    const billed = records.map((record) => billImpression(record, NOW_MS + 1));
    expect(billed.every(({ otherDays }) => otherDays.length > 0)).toBe(true);
    const locks = await (pipelines.get(workers[0]) as Pipeline).inTransaction(async (statements) => {
      expect(await findOnOtherDays(statements, billed)).toEqual(new Map());
      const [row] = await statements.query<{ count: number }>(Prisma.sql`
        SELECT count(*)::int AS count FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()`);
      return row?.count;
    });
    expect(locks).toBe(256);
  });

  it("waits longer for such a batch of another writer than for locked rows", async () => {
    const market = await createMarket(workers[0]);
    const billed = sameName(market).map((record) => billImpression(record, NOW_MS));
    await new DayPartitions(workers[0]).ensure(billed.map(({ day }) => day));
    const batch = await prepareBatch(billed.slice(0, 1));
    const [one, other] = workers.map((worker) => pipelines.get(worker) as Pipeline) as [Pipeline, Pipeline];
    let writing: Promise<WrittenBatch> | undefined;
    await one.inTransaction(async (statements) => {
      await findOnOtherDays(statements, billed);
      writing = writeBatch(other, batch, { lockTimeoutMs: 1 });
      writing.catch(() => undefined);
      await eventually(async () => {
        const waiting = await workers[1].$queryRaw<unknown[]>`
          SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
        return waiting.length === 1;
      });
    });
    expect((await writing)?.written).toBe(1);
  });

  it("passes over affinities that are unknown, deleted or of another campaign", async () => {
    const market = await createMarket(workers[0]);
    const [own, other] = [pick(market.campaigns, 0), pick(market.campaigns, 1)];
    await workers[0].affinity.delete({ where: { id: own.affinityIds[0] } });
    const record = recordIn(market, { recordedAtMs: NOW_MS });
    record.match.affinities = [
      own.affinityIds[0],
      own.affinityIds[1],
      other.affinityIds[0],
      "aff_nobody",
    ].map((affinity_id) => ({ affinity_id, contribution: 0.5 }));
    expect(await write(workers[1], [record])).toBe(1);
    const left = await workers[0].affinity.findMany({ where: { impressions: { gt: 0 } } });
    expect(
      left.filter(({ campaignId }) => [own, other].some((one) => one.campaignId === campaignId)),
    ).toEqual([expect.objectContaining({ id: own.affinityIds[1], impressions: 1n })]);
  });

  it("lets many writers meet on the same rows", async () => {
    const market = await createMarket(workers[0]);
    const batches = Array.from({ length: 12 }, (_, i) =>
      Array.from({ length: 20 }, (_, j) =>
        // Each batch meets the shared rows in another order.
        recordIn(market, { campaign: i + j, game: i * j, user: j % 7, recordedAtMs: NOW_MS }),
      ),
    );
    await Promise.all(batches.map((batch, i) => write(pick(workers, i), batch)));
    await expectTotals(workers[0], market, batches.flat());
  });

  it("writes all or nothing when its connection is killed in the middle", async () => {
    const market = await createMarket(workers[0]);
    const records = Array.from({ length: 50 }, (_, i) =>
      recordIn(market, { campaign: i, recordedAtMs: NOW_MS }),
    );
    const advertiserId = pick(market.campaigns, 0).advertiserId;
    await new DayPartitions(workers[1]).ensure([utcDay(NOW_MS)]);
    // Somebody holds an advertiser's row, so that the batch stops after its impressions were inserted.
    await workers[0].$transaction(
      async (blocker) => {
        await blocker.$queryRaw`SELECT id FROM advertisers WHERE id = ${advertiserId} FOR UPDATE`;
        const failed = write(workers[1], records).then(
          () => undefined,
          (error: unknown) => error,
        );
        let killed: { killed: boolean }[] = [];
        while (killed.length === 0) {
          killed = await workers[0].$queryRaw`SELECT pg_terminate_backend(pid) AS killed FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%UPDATE advertisers%'
              AND pid <> pg_backend_pid()`;
        }
        expect(await failed).toBeInstanceOf(DatabaseUnavailable);
      },
      { timeout: 120_000 },
    );
    await expectTotals(workers[0], market, []);
    expect(await write(workers[1], records)).toBe(50);
    await expectTotals(workers[0], market, records);
  });

  it.each([
    ["an unknown advertiser", { advertiser_id: "adv_nobody" }, /advertiser adv_nobody is unknown/],
    ["an unknown campaign", { campaign_id: "camp_none" }, /campaign camp_none is unknown/],
  ])("refuses %s and leaves nothing behind", async (_name, change, message) => {
    const market = await createMarket(workers[0]);
    const good = recordIn(market, { recordedAtMs: NOW_MS });
    const bad = recordIn(market, { recordedAtMs: NOW_MS });
    Object.assign(bad.match, change);
    const refused = write(workers[0], [good, bad]);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toThrow(RecordRefused);
    await expectTotals(workers[0], market, []);
  });

  it("refuses another advertiser's creative or campaign", async () => {
    const market = await createMarket(workers[0]);
    const [own, other] = [pick(market.campaigns, 0), pick(market.campaigns, 3)];
    const foreignCreative = {
      ...recordIn(market, { recordedAtMs: NOW_MS }),
      creative_id: other.creativeIds[0],
    };
    await expect(write(workers[0], [foreignCreative])).rejects.toThrow(/creative .* belongs elsewhere/);
    const foreignCampaign = recordIn(market, { recordedAtMs: NOW_MS });
    foreignCampaign.match.advertiser_id = other.advertiserId;
    await expect(write(workers[0], [foreignCampaign])).rejects.toThrow(/campaign .* belongs elsewhere/);
    expect(own.advertiserId).not.toBe(other.advertiserId);
    await expectTotals(workers[0], market, []);
  });
});
