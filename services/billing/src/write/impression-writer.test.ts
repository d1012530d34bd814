import { type ImpressionRecord, newId } from "@diegetic/contracts";
import {
  createDatabase,
  createPipeline,
  DAY_MS,
  type Database,
  DatabaseUnavailable,
  installationId,
  LockTimeout,
  type Pipeline,
} from "@diegetic/database";
import { connectRedis, createMoneyCommands, ForeignRedis, InstallationClaim } from "@diegetic/hot-state";
import { createLogger, createMetrics } from "@diegetic/service-kit";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { createBillingMeasures } from "../measures.ts";
import { createMarket, pick, readSums } from "../testing/market.fixture.ts";
import { Wallets } from "../testing/wallets.fixture.ts";
import { DayPartitions } from "./day-partitions.ts";
import { ImpressionWriter, type ImpressionWriterDependencies } from "./impression-writer.ts";

const logger = createLogger({ service: "billing", instance: "test", level: "silent" });

let server: TestDatabase;
let redis: TestRedis;
let database: Database;
let pipeline: Pipeline;
let wallets: Wallets;

beforeAll(async () => {
  [server, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
  database = createDatabase(server.url);
  pipeline = createPipeline(server.url);
});
afterAll(async () => {
  await Promise.all([pipeline.close(), database.$disconnect()]);
  await Promise.all([server.drop(), redis.stop()]);
});
beforeEach(async () => {
  wallets = await Wallets.open(await createMarket(database), redis.url);
});
afterEach(() => wallets.close());

function createWriter(changes: Partial<ImpressionWriterDependencies> = {}) {
  const used = changes.database ?? database;
  const metrics = createMetrics({ service: "billing" });
  const measures = createBillingMeasures(metrics);
  const writer = new ImpressionWriter({
    database: used,
    pipeline,
    money: wallets.money,
    claim: new InstallationClaim(wallets.redis, () => installationId(database)),
    partitions: new DayPartitions(used),
    measures,
    logger,
    nowMs: Date.now,
    ...changes,
  });
  return { write: (records: ImpressionRecord[]) => writer.write(records), metrics };
}

async function impress(count: number): Promise<ImpressionRecord[]> {
  const records: ImpressionRecord[] = [];
  for (let i = 0; i < count; i++) records.push(await wallets.impress({ campaign: i, user: i % 3 }));
  return records;
}

async function writtenIn(campaign: number): Promise<number> {
  const sums = await readSums(database, pick(wallets.market.campaigns, campaign).campaignId);
  expect(new Set(Object.values(sums.impressions)).size).toBe(1);
  return sums.impressions.campaign;
}

async function writtenInAll(): Promise<number> {
  let written = 0;
  for (let i = 0; i < wallets.market.campaigns.length; i++) written += await writtenIn(i);
  return written;
}

async function metric(metrics: ReturnType<typeof createMetrics>, name: string): Promise<number> {
  const line = (await metrics.exposition()).text.split("\n").find((text) => text.startsWith(`${name}{`));
  return Number(line?.split(" ").at(-1));
}

describe("ImpressionWriter", () => {
  it("writes what was committed, empties the outbox and counts", async () => {
    const records = await impress(9);
    const { write, metrics } = createWriter();
    expect(await wallets.outboxSize()).toBe(9);
    await write(records);
    expect(await wallets.outboxSize()).toBe(0);
    expect(await writtenInAll()).toBe(9);
    await write([...records, ...records.slice(0, 2)]);
    expect(await writtenInAll()).toBe(9);
    expect(await metric(metrics, "billing_records_written_total")).toBe(9);
    expect(await metric(metrics, "billing_records_duplicate_total")).toBe(11);
    expect(await metric(metrics, "billing_batch_seconds_count")).toBe(2);
  });

  it("writes a job once that two workers get at the same time", async () => {
    const records = await impress(30);
    await Promise.all([1, 2, 3, 4].map(() => createWriter().write(records)));
    expect(await writtenInAll()).toBe(30);
    expect(await wallets.outboxSize()).toBe(0);
  });

  it("acknowledges nothing while Postgres is unavailable", async () => {
    const records = await impress(5);
    const nowhere = "postgres://nobody@127.0.0.1:1/nothing";
    const unavailable = { database: createDatabase(nowhere), pipeline: createPipeline(nowhere) };
    await expect(createWriter(unavailable).write(records)).rejects.toThrow(DatabaseUnavailable);
    const partitions = new DayPartitions(database);
    const alone = createWriter({ partitions, pipeline: unavailable.pipeline });
    await expect(alone.write(records)).rejects.toThrow(DatabaseUnavailable);
    expect(await wallets.outboxSize()).toBe(5);
    expect(await database.quarantinedImpression.count()).toBe(0);
    await createWriter().write(records);
    expect(await wallets.outboxSize()).toBe(0);
  });

  it("writes once although Redis was unavailable for the acknowledgement", async () => {
    const records = await impress(5);
    const cutOff = connectRedis(redis.url, { name: "cut off" });
    await cutOff.ping();
    cutOff.disconnect();
    await expect(createWriter({ money: createMoneyCommands(cutOff) }).write(records)).rejects.toThrow();
    expect(await writtenInAll()).toBe(5);
    expect(await wallets.outboxSize()).toBe(5);
    await createWriter().write(records);
    expect(await writtenInAll()).toBe(5);
    expect(await wallets.outboxSize()).toBe(0);
  });

  it("sets a record aside that cannot be written, and writes the others", async () => {
    // A campaign that only Redis knows, a budget that Postgres has lowered meanwhile, and a record that is broken.
    const unknown = { ...pick(wallets.market.campaigns, 0), campaignId: newId("camp") };
    await wallets.apply(unknown.advertiserId, unknown.campaignId);
    wallets.market.campaigns.push(unknown);
    const good = [];
    for (let i = 0; i < 20; i++) good.push(await wallets.impress({ campaign: 1 + (i % 2) }));
    const orphan = await wallets.impress({ campaign: 4 });
    const overspent = await wallets.impress({ campaign: 3, priceMillicents: 9_999 });
    const broken = await wallets.impress({ campaign: 1 });
    broken.match.country_code = "nowhere";
    const { campaignId } = pick(wallets.market.campaigns, 3);
    await database.campaign.update({ where: { id: campaignId }, data: { budgetCents: 9 } });
    wallets.market.campaigns.pop();

    const acknowledged: string[] = [];
    const { write, metrics } = createWriter({
      onAcknowledged: (records) => acknowledged.push(...records.map((record) => record.impression_id)),
    });
    const records = [...good.slice(0, 7), orphan, ...good.slice(7, 15), overspent, broken, ...good.slice(15)];
    await write(records);
    expect(acknowledged.sort()).toEqual(records.map((record) => record.impression_id).sort());
    expect(await writtenIn(1)).toBe(10);
    expect(await writtenIn(2)).toBe(10);
    expect(await writtenIn(3)).toBe(0);
    expect(await wallets.outboxSize()).toBe(0);
    expect(await metric(metrics, "billing_records_quarantined_total")).toBe(3);
    const aside = await database.quarantinedImpression.findMany({
      where: { impressionId: { in: [orphan, overspent, broken].map((record) => record.impression_id) } },
    });
    const reasons = new Map(aside.map(({ impressionId, reason }) => [impressionId, reason]));
    expect(reasons.get(orphan.impression_id)).toMatch(/campaign .* is unknown/);
    expect(reasons.get(overspent.impression_id)).toMatch(/campaigns_money_check/);
    expect(reasons.get(broken.impression_id)).toMatch(/country_code/);
    // Who waits for the wallet's impressions does not wait for those that it goes on counting.
    const epochs = new Map(aside.map(({ impressionId, recoveryEpoch }) => [impressionId, recoveryEpoch]));
    expect(epochs.get(orphan.impression_id)).toBe(0n);
    expect(epochs.get(overspent.impression_id)).toBeNull();
    expect(epochs.get(broken.impression_id)).toBe(0n);
    expect(JSON.parse(aside[0]?.record ?? "null")).toMatchObject({ impression_id: aside[0]?.impressionId });
  });

  it.each([
    ["its id, in one job", true, "id"],
    ["its id, in two", false, "id"],
    ["its ids and another campaign, in one job", true, "ids"],
    ["its ids and another campaign, in two", false, "ids"],
    ["its key, in one job", true, "key"],
    ["its key, in two", false, "key"],
  ])(
    "sets a second match aside that stands under %s, and takes its charge back",
    async (_name, inOne, shared) => {
      const isKeyed = shared === "key";
      const record = await wallets.impress();
      const other = await wallets.impress({ campaign: shared === "ids" ? 1 : 0 });
      const operation_id = newId("op");
      if (isKeyed) for (const one of [record, other]) Object.assign(one, { operation_id });
      else other.impression_id = record.impression_id;
      if (shared === "ids") other.match.match_id = record.match.match_id;
      const { write, metrics } = createWriter();
      const jobs = inOne ? [[record, other, record]] : [[record], [other]];
      for (const job of jobs) await write(job);
      await write([record]);
      expect(await writtenIn(0)).toBe(1);
      const written = await database.impression.findFirstOrThrow({
        where: { impressionId: record.impression_id },
      });
      expect([written.matchId, written.campaignId]).toEqual([
        record.match.match_id,
        record.match.campaign_id,
      ]);
      // Of a retry nobody has to decide anything.
      expect(await metric(metrics, "billing_records_quarantined_total")).toBe(isKeyed ? 0 : 1);
      const where = { impressionId: other.impression_id };
      const aside = await database.quarantinedImpression.findUniqueOrThrow({ where });
      expect(aside.reason).toMatch(isKeyed ? /same Idempotency-Key/ : /another charge/);
      expect(aside.resolvedAt !== null).toBe(isKeyed);
      const [settlement] = await database.walletSettlement.findMany({ where });
      const { match_id: matchId, campaign_id: campaignId } = other.match;
      expect(settlement).toMatchObject({ kind: "reversed", matchId, campaignId });
    },
  );

  it("leaves alone what neither an advertiser nor an outbox of its own has", async () => {
    const [own = await wallets.impress(), ...rest] = await impress(3);
    const foreign = structuredClone(own);
    foreign.impression_id = newId("imp");
    foreign.match.advertiser_id = newId("adv");
    const { write, metrics } = createWriter();
    await write([own, foreign, ...rest]);
    expect(await writtenInAll()).toBe(3);
    expect(
      await database.quarantinedImpression.count({ where: { impressionId: foreign.impression_id } }),
    ).toBe(0);
    expect(await metric(metrics, "billing_records_quarantined_total")).toBe(0);
  });

  it("acknowledges nothing in the outbox of an advertiser that it does not know, unless it is its own Redis", async () => {
    const foreign = structuredClone(await wallets.impress());
    const { match } = foreign;
    foreign.impression_id = newId("imp");
    match.advertiser_id = newId("adv");
    const outbox = `{${match.advertiser_id}}:outbox`;
    await wallets.redis.hset(outbox, foreign.impression_id, JSON.stringify(foreign));
    await new InstallationClaim(wallets.redis, () => installationId(database)).check();
    const claim = new InstallationClaim(wallets.redis, async () => "another");
    await expect(createWriter({ claim }).write([foreign])).rejects.toThrow(ForeignRedis);
    expect(await wallets.redis.hlen(outbox)).toBe(1);
    expect(
      await database.quarantinedImpression.count({ where: { impressionId: foreign.impression_id } }),
    ).toBe(0);
    await createWriter().write([foreign]);
    expect(await wallets.redis.hlen(outbox)).toBe(0);
    expect(
      await database.quarantinedImpression.count({ where: { impressionId: foreign.impression_id } }),
    ).toBe(1);
  });

  it("leaves a record in the outbox whose time it cannot believe, and writes it when the clocks agree again", async () => {
    const records = await impress(2);
    const future = createWriter({ nowMs: () => Date.now() - 3 * DAY_MS });
    await future.write(records);
    expect(await wallets.outboxSize()).toBe(2);
    expect(await writtenInAll()).toBe(0);
    expect(await metric(future.metrics, "billing_records_quarantined_total")).toBe(0);
    await createWriter().write(records);
    expect(await wallets.outboxSize()).toBe(0);
    expect(await writtenInAll()).toBe(2);
  });

  it("returns a record whose time it cannot believe to the outbox that lost it, unless it is foreign", async () => {
    const [record] = await impress(1);
    if (record === undefined) throw new Error("no record");
    await wallets.redis.del(`{${record.match.advertiser_id}}:outbox`);
    const foreign = structuredClone(record);
    foreign.impression_id = newId("imp");
    foreign.match.advertiser_id = newId("adv");
    await createWriter({ nowMs: () => Date.now() - 3 * DAY_MS }).write([record, foreign]);
    expect(await wallets.outboxSize()).toBe(1);
    expect(await wallets.redis.exists(`{${foreign.match.advertiser_id}}:outbox`)).toBe(0);
    await createWriter().write([record]);
    expect(await wallets.outboxSize()).toBe(0);
    expect(await writtenInAll()).toBe(1);
  });

  it("does not set a record aside that another worker writes when there is money again", async () => {
    const record = await wallets.impress();
    const where = { id: record.match.advertiser_id };
    await database.advertiser.update({ where, data: { depositedMillicents: 0n } });
    // The other worker comes between the refusal and the quarantining, which asks for the advertiser's row first.
    let written = false;
    const raced = new Proxy(database, {
      get(target, name, receiver) {
        const value = Reflect.get(target, name, receiver);
        if (name !== "$transaction") return value;
        return async (...given: unknown[]) => {
          await database.advertiser.update({ where, data: { depositedMillicents: 1_000n } });
          if (!written) await createWriter().write([record]);
          written = true;
          return Reflect.apply(value as (...given: unknown[]) => unknown, target, given);
        };
      },
    });
    const { write, metrics } = createWriter({ database: raced });
    await write([record]);
    expect(written).toBe(true);
    expect(await writtenIn(0)).toBe(1);
    expect(
      await database.quarantinedImpression.count({ where: { impressionId: record.impression_id } }),
    ).toBe(0);
    expect(await database.walletSettlement.count({ where: { impressionId: record.impression_id } })).toBe(0);
    expect(await metric(metrics, "billing_records_quarantined_total")).toBe(0);
    expect(await wallets.outboxSize()).toBe(0);
  });

  it("does not say that a wallet counts what was committed before it was restored", async () => {
    const broken = await wallets.impress({ campaign: 1 });
    broken.match.country_code = "nowhere";
    const { advertiserId } = pick(wallets.market.campaigns, 1);
    await database.advertiser.update({ where: { id: advertiserId }, data: { recoveryEpoch: 7n } });
    await createWriter().write([broken]);
    const where = { where: { impressionId: broken.impression_id } };
    expect(await database.quarantinedImpression.findUnique(where)).toMatchObject({ recoveryEpoch: null });
  });

  it("repeats, instead of quarantining, when a partition has gone", async () => {
    const records = await impress(3);
    const partitions = new DayPartitions(database);
    const { write } = createWriter({ partitions });
    await write(records.slice(0, 1));
    const day = new Date(records[0]?.recorded_at_ms ?? 0).toISOString().slice(0, 10).replaceAll("-", "");
    await database.$executeRawUnsafe(`ALTER TABLE impressions DETACH PARTITION impressions_${day}`);
    await database.$executeRawUnsafe(`ALTER TABLE impressions_${day} RENAME TO taken_away`);
    await expect(write(records.slice(1))).rejects.toThrow(/no partition/);
    expect(await wallets.outboxSize()).toBe(2);
    await write(records.slice(1));
    expect(await wallets.outboxSize()).toBe(0);
  });
});

describe("while another transaction holds a row of one advertiser", () => {
  /** The locks are held until the test ends: a writer need not wait long for them. */
  const createQuickWriter = (changes: Partial<ImpressionWriterDependencies> = {}) =>
    createWriter({ maxLockWaitMs: 100, ...changes });

  /** Runs `work` while the row is locked. */
  async function whileLocked(
    table: "advertisers" | "campaigns" | "creatives",
    ids: string | string[],
    work: () => Promise<void>,
  ) {
    await database.$transaction(
      async (blocker) => {
        await blocker.$queryRaw`SELECT set_config('idle_in_transaction_session_timeout', '0', true)`;
        await blocker.$queryRawUnsafe(`SELECT id FROM ${table} WHERE id = ANY($1) FOR UPDATE`, [ids].flat());
        await work();
      },
      { timeout: 120_000 },
    );
  }

  /** The pipeline, with a call after each transaction that waited for a lock in vain. */
  function watchLockTimeouts(onTimeout: () => unknown): Pipeline {
    return {
      ...pipeline,
      inTransaction: (...given) =>
        pipeline.inTransaction(...given).catch(async (error: unknown) => {
          if (error instanceof LockTimeout) await onTimeout();
          throw error;
        }),
    };
  }

  const outboxOf = async (advertiserId: string) =>
    (await wallets.money.listOutbox(advertiserId, 500)).items.length;

  it.each(["advertisers", "campaigns"] as const)(
    "writes the others' records, and leaves its own in the outbox (%s)",
    async (table) => {
      const [locked, other] = [pick(wallets.market.campaigns, 0), pick(wallets.market.campaigns, 2)];
      const records = await impress(12);
      const { write } = createQuickWriter();
      await whileLocked(
        table,
        table === "advertisers" ? locked.advertiserId : locked.campaignId,
        async () => {
          await write(records);
          expect(await outboxOf(other.advertiserId)).toBe(0);
          expect((await writtenIn(2)) + (await writtenIn(3))).toBe(6);
          expect(await outboxOf(locked.advertiserId)).toBe(6);
          // Known to be locked.
          const more = await impress(4);
          await write([...records, ...more]);
          expect(await outboxOf(other.advertiserId)).toBe(0);
          expect(await outboxOf(locked.advertiserId)).toBe(8);
          records.push(...more);
        },
      );
      await write(records);
      expect(await wallets.outboxSize()).toBe(0);
      expect(await writtenInAll()).toBe(16);
      expect(
        await database.quarantinedImpression.count({ where: { advertiserId: locked.advertiserId } }),
      ).toBe(0);
    },
  );

  it("finishes the others' refused records, and leaves its own in the outbox", async () => {
    const [locked, other] = [pick(wallets.market.campaigns, 0), pick(wallets.market.campaigns, 2)];
    const records: ImpressionRecord[] = [];
    for (const campaign of [0, 0, 2, 2]) {
      const record = await wallets.impress({ campaign });
      record.match.country_code = "nowhere";
      records.push(record);
    }
    records.push(await wallets.impress({ campaign: 2 }));
    const quarantinedOf = ({ advertiserId }: { advertiserId: string }) =>
      database.quarantinedImpression.count({ where: { advertiserId } });
    const { write } = createQuickWriter();
    await whileLocked("advertisers", locked.advertiserId, async () => {
      await write(records);
      expect(await outboxOf(other.advertiserId)).toBe(0);
      expect(await quarantinedOf(other)).toBe(2);
      expect(await writtenIn(2)).toBe(1);
      expect(await outboxOf(locked.advertiserId)).toBe(2);
      expect(await quarantinedOf(locked)).toBe(0);
    });
    await write(records);
    expect(await wallets.outboxSize()).toBe(0);
    expect(await quarantinedOf(locked)).toBe(2);
  });

  it("leaves two matches under one id alone until one of them can be written", async () => {
    const { advertiserId } = pick(wallets.market.campaigns, 0);
    const record = await wallets.impress();
    const other = { ...(await wallets.impress({ campaign: 2 })), impression_id: record.impression_id };
    const { write } = createQuickWriter();
    await whileLocked("advertisers", advertiserId, async () => {
      await write([record, other]);
      expect(await outboxOf(advertiserId)).toBe(1);
      expect((await wallets.money.listOutbox(other.match.advertiser_id, 500)).items).toContainEqual(other);
      expect(
        await database.quarantinedImpression.count({ where: { impressionId: record.impression_id } }),
      ).toBe(0);
    });
    await write([record, other]);
    expect(await outboxOf(advertiserId)).toBe(0);
    expect(await writtenIn(0)).toBe(1);
  });

  it("waits twice, however many advertisers are locked", async () => {
    const more = await createMarket(database);
    for (const { advertiserId, campaignId } of more.campaigns) await wallets.apply(advertiserId, campaignId);
    wallets.market.campaigns.push(...more.campaigns);
    const records = await impress(8);
    const [first, second, third, fourth] = [0, 2, 4, 6].map(
      (campaign) => pick(wallets.market.campaigns, campaign).advertiserId,
    ) as [string, string, string, string];
    let timeouts = 0;
    let releaseThird: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      releaseThird = resolve;
    });
    let holding: Promise<void> | undefined;
    const watched = watchLockTimeouts(async () => {
      timeouts += 1;
      if (timeouts < 2) return;
      releaseThird();
      await holding;
    });
    const { write } = createQuickWriter({ pipeline: watched });
    await whileLocked("advertisers", [first, second], async () => {
      await new Promise<void>((resolve) => {
        holding = whileLocked("advertisers", third, () => {
          resolve();
          return released;
        });
      });
      await write(records);
      expect(timeouts).toBe(2);
      expect(await Promise.all([first, second, third, fourth].map(outboxOf))).toEqual([2, 2, 0, 0]);
    });
    await write(records);
    expect(await wallets.outboxSize()).toBe(0);
    expect(await writtenInAll()).toBe(8);
  });

  it("waits twice for any other lock, then returns the job", async () => {
    const { creativeIds } = pick(wallets.market.campaigns, 0);
    const records = await impress(4);
    let timeouts = 0;
    const { write } = createQuickWriter({ pipeline: watchLockTimeouts(() => timeouts++) });
    await whileLocked("creatives", creativeIds, async () => {
      await expect(write(records)).rejects.toThrow(LockTimeout);
    });
    expect(timeouts).toBe(2);
    expect(await wallets.outboxSize()).toBe(4);
    await write(records);
    expect(await writtenInAll()).toBe(4);
  });

  it("finishes a repeated job whose records were written or quarantined before", async () => {
    const [locked, other] = [pick(wallets.market.campaigns, 0), pick(wallets.market.campaigns, 2)];
    const broken = await wallets.impress();
    broken.match.country_code = "nowhere";
    const done = [await wallets.impress(), broken];
    const { write } = createQuickWriter();
    await write(done);
    const records = [await wallets.impress({ campaign: 2 }), await wallets.impress({ campaign: 2 })];
    await whileLocked("advertisers", locked.advertiserId, async () => {
      await write([await wallets.impress()]);
      expect(await outboxOf(locked.advertiserId)).toBe(1);
      await write([...done, ...records]);
      expect(await outboxOf(other.advertiserId)).toBe(0);
      expect(await writtenIn(2)).toBe(2);
    });
  });

  it("returns a record that is in no outbox to it", async () => {
    const [locked, other] = [pick(wallets.market.campaigns, 0), pick(wallets.market.campaigns, 2)];
    const record = await wallets.impress();
    await wallets.redis.del(`{${locked.advertiserId}}:outbox`);
    const others = await wallets.impress({ campaign: 2 });
    const { write } = createQuickWriter();
    await whileLocked("advertisers", locked.advertiserId, async () => {
      await write([record, others]);
      expect(await outboxOf(other.advertiserId)).toBe(0);
      const kept = await wallets.money.listOutbox(locked.advertiserId, 500);
      expect(kept).toMatchObject({ items: [record], damaged: [] });
      const due = await wallets.due.registered("outbox", 500);
      expect(due.map(({ walletId }) => walletId)).toContain(locked.advertiserId);
    });
    await write([record, others]);
    expect(await writtenIn(0)).toBe(1);
    expect(await writtenIn(2)).toBe(1);
  });

  it("announces a record before it returns it to the outbox", async () => {
    const { advertiserId } = pick(wallets.market.campaigns, 0);
    const record = await wallets.impress();
    await wallets.redis.del(`{${advertiserId}}:outbox`);
    const { write } = createQuickWriter();
    await whileLocked("advertisers", advertiserId, async () => {
      await wallets.redis.set("{due}:outbox", "not the index");
      await expect(write([record])).rejects.toThrow("WRONGTYPE");
      await wallets.redis.del("{due}:outbox");
      await write([record]);
      expect(await outboxOf(advertiserId)).toBe(1);
      const due = await wallets.due.registered("outbox", 500);
      expect(due.map(({ walletId }) => walletId)).toContain(advertiserId);
    });
  });

  it("returns records to the outbox while the memory of Redis is full, also one without a time", async () => {
    const { advertiserId } = pick(wallets.market.campaigns, 0);
    const [record, timeless] = [await wallets.impress(), await wallets.impress()];
    await wallets.redis.del(`{${advertiserId}}:outbox`);
    const { write } = createQuickWriter();
    await whileLocked("advertisers", advertiserId, async () => {
      await wallets.redis.config("SET", "maxmemory", "1");
      try {
        await write([record, { ...timeless, recorded_at_ms: Number.NaN }]);
      } finally {
        await wallets.redis.config("SET", "maxmemory", "0");
      }
      const kept = await wallets.money.listOutbox(advertiserId, 500);
      expect(kept.items).toEqual([record]);
      expect(kept.damaged.map(({ field }) => field)).toEqual([timeless.impression_id]);
    });
  });

  it("returns no record to an outbox that it does not name", async () => {
    const { advertiserId } = pick(wallets.market.campaigns, 0);
    const record = await wallets.impress();
    const { advertiser_id: _, ...match } = record.match;
    const nameless = { ...record, match } as ImpressionRecord;
    const { write } = createQuickWriter();
    await whileLocked("advertisers", advertiserId, async () => {
      await expect(write([record, nameless])).rejects.toThrow(LockTimeout);
      expect(await wallets.redis.keys("{undefined*}:outbox")).toEqual([]);
    });
    await write([record, nameless]);
    expect(await writtenIn(0)).toBe(1);
  });

  it.each(["written", "quarantined"])(
    "returns another match to the outbox under the id of a %s record",
    async (outcome) => {
      const { advertiserId } = pick(wallets.market.campaigns, 0);
      const [known, second] = [await wallets.impress(), await wallets.impress()];
      if (outcome === "quarantined") for (const { match } of [known, second]) match.country_code = "nowhere";
      const { write } = createQuickWriter();
      await write([known]);
      await wallets.redis.del(`{${advertiserId}}:outbox`);
      second.impression_id = known.impression_id;
      await whileLocked("advertisers", advertiserId, async () => {
        await write([known]);
        expect(await outboxOf(advertiserId)).toBe(0);
        await write([second]);
        expect(await outboxOf(advertiserId)).toBe(1);
      });
    },
  );
});
