import type { ImpressionRecord } from "@diegetic/contracts";
import {
  createDatabase,
  createPipeline,
  type Database,
  DatabaseAway,
  type Pipeline,
  utcDay,
} from "@diegetic/database";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { createTestDatabase, type TestDatabase } from "../../../../tests/helpers/database.ts";
import {
  createMarket,
  type Market,
  pick,
  type RecordChoice,
  readSums,
  recordIn,
  type TestCampaign,
} from "../testing/market.fixture.ts";
import { billImpression, RecordRefused } from "./billed-impression.ts";
import { Partitions } from "./partitions.ts";
import { prepareBatch, writeBatch } from "./write-batch.ts";

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 21, 23, 59, 59, 999);

let server: TestDatabase;
/** Two workers with pools of their own. */
let workers: [Database, Database];
const pipelines = new Map<Database, Pipeline>();

beforeAll(async () => {
  server = await createTestDatabase();
  workers = [createDatabase(server.url), createDatabase(server.url)];
  for (const worker of workers) pipelines.set(worker, createPipeline(server.url));
}, 60_000);
afterAll(async () => {
  await Promise.all([
    ...workers.map((worker) => worker.$disconnect()),
    ...[...pipelines.values()].map((one) => one.close()),
  ]);
  await server.drop();
});

async function write(database: Database, records: ImpressionRecord[]): Promise<number> {
  const billed = records.map((record) => billImpression(record, NOW_MS));
  await new Partitions(database).ensure(billed.map(({ day }) => day));
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

/** Which users a campaign reached, by dimension and member, counted one record at a time. */
function expectedUsers(records: ImpressionRecord[], campaignId: string): Map<string, number> {
  const users = new Map<string, Set<string>>();
  for (const record of records.filter(({ match }) => match.campaign_id === campaignId)) {
    for (const member of [
      "total:",
      `day:${utcDay(record.recorded_at_ms)}`,
      `creative:${record.creative_id}`,
      `country:${record.match.country_code ?? ""}`,
    ]) {
      users.set(member, (users.get(member) ?? new Set()).add(record.match.user_hash));
    }
  }
  return new Map([...users].map(([member, reached]) => [member, reached.size]));
}

async function expectCampaign(market: Market, index: number, records: ImpressionRecord[]): Promise<void> {
  const [database] = workers;
  const { campaignId } = pick(market.campaigns, index);
  const own = records.filter(({ match }) => match.campaign_id === campaignId);
  const sums = await readSums(database, campaignId);
  expect(new Set(Object.values(sums.impressions))).toEqual(new Set([own.length]));
  const spent = own.reduce((sum, { match }) => sum + match.price_millicents, 0);
  expect(new Set(Object.values(sums.spentMillicents))).toEqual(new Set([spent]));
  const earned = own.reduce((sum, record) => sum + billImpression(record, NOW_MS).earningMicrocents, 0n);
  expect(sums.earningMicrocents).toEqual({ rows: earned, games: earned });
  expect(sums.ledgerBalance).toBe(0n);

  await expectRollups(campaignId, own);
  await expectAffinities(pick(market.campaigns, index), own);
}

async function expectRollups(campaignId: string, own: ImpressionRecord[]): Promise<void> {
  const [database] = workers;
  const campaign = await database.campaign.findUniqueOrThrow({ where: { id: campaignId } });
  const days = await database.campaignRollup.findMany({ where: { campaignId } });
  const creatives = await database.creative.findMany({ where: { campaignId, impressions: { gt: 0 } } });
  const countries = await database.campaignCountry.findMany({ where: { campaignId } });
  const games = await database.campaignGame.findMany({ where: { campaignId } });
  const rows = [
    ...days.map((row) => ({ ...row, dimension: "day", dimensionKey: row.day.toISOString().slice(0, 10) })),
    ...creatives.map((row) => ({
      ...row,
      dimension: "creative",
      dimensionKey: row.id,
      users: row.uniqueUsers,
    })),
    ...countries.map((row) => ({
      ...row,
      dimension: "country",
      dimensionKey: row.countryCode,
      affinityScoreSum: null,
    })),
  ];
  const counted = rows.map(
    ({ dimension, dimensionKey, users }) => [`${dimension}:${dimensionKey}`, Number(users)] as const,
  );
  if (campaign.uniqueUsers > 0n) counted.push(["total:", Number(campaign.uniqueUsers)]);
  expect(new Map(counted)).toEqual(expectedUsers(own, campaignId));
  const memberOf: Record<string, (record: ImpressionRecord) => string> = {
    day: (record) => utcDay(record.recorded_at_ms),
    creative: (record) => record.creative_id,
    country: (record) => record.match.country_code ?? "",
  };
  const gameOf = (record: ImpressionRecord) => record.match.game_id;
  expect(games).toHaveLength(new Set(own.map(gameOf)).size);
  for (const { gameId, impressions } of games) {
    expect(Number(impressions)).toBe(own.filter((record) => gameOf(record) === gameId).length);
  }
  for (const [dimension, of] of Object.entries(memberOf)) {
    expect(rows.filter((row) => row.dimension === dimension)).toHaveLength(new Set(own.map(of)).size);
  }
  for (const row of rows) {
    const members = own.filter((record) => memberOf[row.dimension]?.(record) === row.dimensionKey);
    expect(Number(row.impressions)).toBe(members.length);
    expect(Number(row.spentMillicents)).toBe(
      members.reduce((sum, { match }) => sum + match.price_millicents, 0),
    );
    if (row.affinityScoreSum === null) continue;
    const score = members.reduce((sum, { match }) => sum + match.affinity_score, 0);
    expect(Math.abs(Number(row.affinityScoreSum) - score)).toBeLessThan(1e-6 * members.length);
  }
}

async function expectAffinities(campaign: TestCampaign, own: ImpressionRecord[]): Promise<void> {
  const [database] = workers;
  const { campaignId, affinityIds } = campaign;
  const versions = await database.campaignVersionRollup.findMany({ where: { campaignId } });
  const expected = new Map<number, number>();
  for (const { match } of own) {
    expected.set(match.campaign_version, (expected.get(match.campaign_version) ?? 0) + 1);
  }
  expect(new Map(versions.map((row) => [row.campaignVersion, Number(row.impressions)]))).toEqual(expected);
  for (const affinityId of affinityIds) {
    const affinity = await database.affinity.findUniqueOrThrow({ where: { id: affinityId } });
    const contributions = own.map(({ match }) =>
      match.affinities
        .filter((entry) => entry.affinity_id === affinityId)
        .reduce((sum, { contribution }) => sum + contribution, 0),
    );
    expect(Number(affinity.impressions)).toBe(
      contributions.filter((contribution) => contribution > 0).length,
    );
    expect(Number(affinity.contributionSum)).toBeCloseTo(
      contributions.reduce((sum, contribution) => sum + contribution, 0),
      6,
    );
  }
}

async function expectTotals(market: Market, records: ImpressionRecord[]): Promise<void> {
  const [database] = workers;
  for (let i = 0; i < market.campaigns.length; i++) await expectCampaign(market, i, records);
  for (const advertiserId of new Set(market.campaigns.map((campaign) => campaign.advertiserId))) {
    const own = records.filter(({ match }) => match.advertiser_id === advertiserId);
    const advertiser = await database.advertiser.findUniqueOrThrow({ where: { id: advertiserId } });
    expect(Number(advertiser.impressions)).toBe(own.length);
    expect(Number(advertiser.spentMillicents)).toBe(
      own.reduce((sum, { match }) => sum + match.price_millicents, 0),
    );
  }
  for (const { gameId, accountId } of market.games) {
    const own = records.filter(({ match }) => match.game_id === gameId);
    const earned = own.reduce((sum, record) => sum + billImpression(record, NOW_MS).earningMicrocents, 0n);
    const wanted = {
      where: { gameId, accountId },
      _sum: { impressions: true, earningMicrocents: true },
    } as const;
    for (const { _sum: sums } of [
      await database.gameRollup.aggregate(wanted),
      await database.campaignGame.aggregate(wanted),
      await database.gameTotal.aggregate(wanted),
    ]) {
      expect(Number(sums.impressions ?? 0n)).toBe(own.length);
      expect(sums.earningMicrocents ?? 0n).toBe(earned);
    }
    const ledger = await database.ledgerEntry.aggregate({
      where: { gameId, accountId, kind: "earning" },
      _sum: { impressions: true, amountMicrocents: true },
    });
    expect(ledger._sum.impressions ?? 0).toBe(own.length);
    expect(ledger._sum.amountMicrocents ?? 0n).toBe(earned);
  }
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
          await expectTotals(market, records);
        },
      ),
      { numRuns: 15 },
    );
  }, 60_000);

  it("moves nothing the second time", async () => {
    const market = await createMarket(workers[0]);
    const records = [0, 1, 2, 3].map((campaign) => recordIn(market, { campaign, recordedAtMs: NOW_MS }));
    expect(await write(workers[0], records)).toBe(4);
    expect(await write(workers[1], records)).toBe(0);
    await expectTotals(market, records);
  });

  it.each([
    ["in their order", [0, 1]],
    ["in the other order", [1, 0]],
  ])("writes an impression once that has a record on either side of midnight, %s", async (_name, order) => {
    const market = await createMarket(workers[0]);
    const before = recordIn(market, { recordedAtMs: NOW_MS - DAY_MS });
    before.match.matched_at_ms = before.recorded_at_ms - 1_000;
    const after = { ...before, recorded_at_ms: before.recorded_at_ms + 2_000 };
    expect(utcDay(after.recorded_at_ms)).not.toBe(utcDay(before.recorded_at_ms));
    const records = order.map((index) => pick([before, after], index));
    for (const [index, record] of records.entries()) {
      expect(await write(pick(workers, index), [record])).toBe(index === 0 ? 1 : 0);
    }
    await expectTotals(market, records.slice(0, 1));
  });

  it("writes it once when both records are written side by side", async () => {
    const market = await createMarket(workers[0]);
    const pairs = Array.from({ length: 30 }, () => {
      const before = recordIn(market, { recordedAtMs: NOW_MS - DAY_MS });
      before.match.matched_at_ms = before.recorded_at_ms - 1_000;
      return [before, { ...before, recorded_at_ms: before.recorded_at_ms + 2_000 }] as const;
    });
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
    await expectTotals(market, batches.flat());
  });

  it("writes all or nothing when its connection is killed in the middle", async () => {
    const market = await createMarket(workers[0]);
    const records = Array.from({ length: 50 }, (_, i) =>
      recordIn(market, { campaign: i, recordedAtMs: NOW_MS }),
    );
    const advertiserId = pick(market.campaigns, 0).advertiserId;
    await new Partitions(workers[1]).ensure([utcDay(NOW_MS)]);
    // Somebody holds an advertiser's row, so that the batch stops after its impressions were inserted.
    await workers[0].$transaction(async (blocker) => {
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
      expect(await failed).toBeInstanceOf(DatabaseAway);
    });
    await expectTotals(market, []);
    expect(await write(workers[1], records)).toBe(50);
    await expectTotals(market, records);
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
    await expectTotals(market, []);
  });

  it("refuses a creative or a campaign of somebody else", async () => {
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
    await expectTotals(market, []);
  });
});
