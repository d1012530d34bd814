import { createDatabase, type Database } from "@diegetic/database";
import { createWalletReader, type RedisConnection } from "@diegetic/hot-state";
import { createLogger, createMetrics } from "@diegetic/service-kit";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { createBillingMeasures } from "../measures.ts";
import { Reconciler } from "./reconciler.ts";
import { wholeInspections } from "./whole-checks.ts";

/** More than two pages. */
const ADVERTISERS = 120;
const running = new AbortController().signal;

let server: TestDatabase;
let redisServer: TestRedis;
let redis: RedisConnection;
let database: Database;
let lines: Record<string, unknown>[];

beforeAll(async () => {
  [server, redisServer] = await Promise.all([createTestDatabase(), startTestRedis()]);
  database = createDatabase(server.url);
  redis = connectTestRedis(redisServer.url);
  await eventually(() => redis.ping().catch(() => undefined));
  const ids = Array.from({ length: ADVERTISERS }, (_, index) => advertiserOf(index));
  await database.account.createMany({ data: ids.map((id) => ({ id, label: "advertiser" })) });
  await database.advertiser.createMany({
    data: ids.map((id) => ({
      id,
      accountId: id,
      companyName: "Acme",
      contactEmail: `${id}@example.com`,
      contactEmailLower: `${id}@example.com`,
    })),
  });
  // Expensive, so that Postgres evaluates it last.
  await database.$executeRaw`
    CREATE FUNCTION run_out_of_time() RETURNS boolean LANGUAGE plpgsql VOLATILE COST 1000000 AS
    $$ BEGIN RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = '57014'; END $$`;
});
afterAll(async () => {
  redis.disconnect();
  await database.$disconnect();
  await Promise.all([server.drop(), redisServer.stop()]);
});
beforeEach(() => {
  lines = [];
});
const slowTables = new Set<string>();
afterEach(async () => {
  for (const table of slowTables) {
    await database.$executeRawUnsafe(`DROP VIEW ${table}`);
    await database.$executeRawUnsafe(`ALTER TABLE ${table}_rows RENAME TO ${table}`);
  }
  slowTables.clear();
  await database.deposit.deleteMany();
  await database.idempotencyKey.deleteMany();
});

function advertiserOf(index: number): string {
  return `adv_${String(index).padStart(3, "0")}`;
}

/** A deposit that the advertiser's total lacks. */
async function plantDifference(advertiserId: string): Promise<void> {
  await database.deposit.create({ data: { id: `dep_${advertiserId}`, advertiserId, amountCents: 1 } });
}

const OLD_ANSWER = {
  accountId: advertiserOf(0),
  endpoint: "POST /deposit",
  key: "k",
  bodySha256: "0".repeat(64),
  status: 200,
  createdAt: new Date(0),
};

/** Ledger entries of one impression. They cannot be deleted. */
async function addImpressionEntries(advertiserId: string): Promise<void> {
  const entry = { entryGroupId: "impression", day: new Date(0), impressions: 1 };
  const charge = { accountId: advertiserId, advertiserId, campaignId: "camp", amountMicrocents: -1n };
  const earning = { accountId: "acct_dev", gameId: "game", amountMicrocents: 1n };
  await database.ledgerEntry.createMany({
    data: [
      { ...entry, ...charge, kind: "charge" },
      { ...entry, ...earning, kind: "earning" },
    ],
  });
}

/** From now on, reading the rows for which `condition` holds runs out of time. */
async function slowDown(table: string, condition: string): Promise<void> {
  await database.$executeRawUnsafe(`ALTER TABLE ${table} RENAME TO ${table}_rows`);
  await database.$executeRawUnsafe(
    `CREATE VIEW ${table} AS SELECT * FROM ${table}_rows WHERE NOT (${condition}) OR run_out_of_time()`,
  );
  slowTables.add(table);
}

function createReconciler(reader = createWalletReader(redis)) {
  const metrics = createMetrics({ service: "billing" });
  const write = (line: string) => {
    lines.push(JSON.parse(line));
  };
  const reconciler = new Reconciler({
    database,
    redis,
    wallets: reader,
    limits: { holds: 100, records: 100, lateMs: 60_000 },
    timeoutMs: 15_000,
    nowMs: Date.now,
    measures: createBillingMeasures(metrics),
    logger: createLogger({ service: "billing", instance: "test", level: "info" }, { write }),
    pauseMs: 0,
    restFactor: 0,
    againAfterMs: [1],
  });
  const notCompared = async () => {
    const { text } = await metrics.exposition();
    return Number(/^reconciliation_not_compared_total\S* (\d+)$/m.exec(text)?.[1]);
  };
  return { reconciler, notCompared };
}

const subjectsOf = (check: string) =>
  lines
    .filter((line) => line.check === check && line.msg === "reconciliation difference found")
    .map(({ subject }) => subject);
const failures = () => lines.filter(({ msg }) => msg === "reconciliation could not compare everything");

describe("an inspection that takes too long", () => {
  it("is repeated in smaller pages, down to one advertiser", async () => {
    const slow = advertiserOf(7);
    const others = [advertiserOf(0), advertiserOf(8), advertiserOf(119)];
    for (const id of [slow, ...others]) await plantDifference(id);
    await slowDown("deposits", `advertiser_id = '${slow}'`);
    const { reconciler, notCompared } = createReconciler();
    await reconciler.cycle(running);
    expect(subjectsOf("deposit_rows")).toEqual(others);
    // Its balances, and its ledger.
    expect(await notCompared()).toBe(2);
    expect(failures()).toMatchObject([{ level: 40, owners: [slow], err: { type: "StatementTimeout" } }]);
    expect(reconciler.report().finishedAtMs).not.toBeNull();
  });

  it("does not end what it found before", async () => {
    const slow = advertiserOf(7);
    await plantDifference(slow);
    await plantDifference(advertiserOf(8));
    const { reconciler } = createReconciler();
    await reconciler.cycle(running);
    expect(subjectsOf("deposit_rows")).toEqual([slow, advertiserOf(8)]);
    await database.deposit.deleteMany({ where: { advertiserId: advertiserOf(8) } });
    await slowDown("deposits", `advertiser_id = '${slow}'`);
    await reconciler.cycle(running);
    const resolved = lines.filter(({ msg }) => msg === "reconciliation difference resolved");
    expect(resolved.map(({ subject }) => subject)).toEqual([advertiserOf(8), advertiserOf(8)]);
    expect(reconciler.report().listed.map(({ subject }) => subject)).toContain(slow);
  });

  it("does not end what it found before when its owners cannot be listed", async () => {
    await plantDifference(advertiserOf(119));
    const { reconciler, notCompared } = createReconciler();
    await reconciler.cycle(running);
    await slowDown("advertisers", `id > '${advertiserOf(60)}'`);
    await reconciler.cycle(running);
    expect(lines.filter(({ msg }) => msg === "reconciliation difference resolved")).toEqual([]);
    expect(await notCompared()).toBeGreaterThan(0);
  });

  it("does not keep others from being compared when it has no pages", async () => {
    await plantDifference(advertiserOf(119));
    await slowDown("idempotency_keys", "true");
    await database.idempotencyKey.create({ data: OLD_ANSWER });
    const { reconciler, notCompared } = createReconciler();
    await reconciler.cycle(running);
    expect(subjectsOf("deposit_rows")).toEqual([advertiserOf(119)]);
    expect(await notCompared()).toBe(1);
    expect(failures()).toHaveLength(1);
  });

  it("is not mistaken for an unavailable store, which ends the cycle", async () => {
    const closed = connectTestRedis(redisServer.url);
    closed.disconnect();
    const { reconciler } = createReconciler(createWalletReader(closed));
    await expect(reconciler.cycle(running)).rejects.toThrow("Connection is closed.");
    expect(failures()).toEqual([]);
    expect(reconciler.report().finishedAtMs).toBeNull();
  });

  it("leaves out no other checks of an advertiser whose ledger is too long", async () => {
    const slow = advertiserOf(7);
    await plantDifference(slow);
    await database.ledgerEntry.create({
      data: {
        entryGroupId: "e",
        accountId: slow,
        kind: "deposit",
        day: new Date(0),
        advertiserId: slow,
        amountMicrocents: 1n,
      },
    });
    await slowDown("ledger_entries", `advertiser_id = '${slow}'`);
    const { reconciler, notCompared } = createReconciler();
    await reconciler.cycle(running);
    expect(subjectsOf("deposit_rows")).toEqual([slow]);
    expect(subjectsOf("deposit_ledger")).toEqual([]);
    expect(await notCompared()).toBe(1);
  });

  it("does not keep what others found and find no more when it belongs to no advertiser", async () => {
    await database.idempotencyKey.create({ data: OLD_ANSWER });
    const { reconciler, notCompared } = createReconciler();
    await reconciler.cycle(running);
    expect(subjectsOf("stored_answers")).toEqual(["all"]);
    await database.idempotencyKey.deleteMany();
    await addImpressionEntries(advertiserOf(7));
    await slowDown("ledger_entries", "kind = 'earning'");
    await reconciler.cycle(running);
    expect(reconciler.report().listed.map(({ check }) => check)).not.toContain("stored_answers");
    expect(failures()).toMatchObject([{ owners: ["row_each_game_impressions"] }]);
    // The other game check, the groups, and the sum of all earnings.
    expect(await notCompared()).toBe(4);
  });
});

it("leaves checks of the whole ledger to the audit when it has too many entries", async () => {
  await addImpressionEntries(advertiserOf(7));
  await database.$executeRaw`ANALYZE ledger_entries`;
  const entries = await database.ledgerEntry.count();
  const checks = async (maxRows: number) => {
    const names: string[] = [];
    for await (const { owners } of wholeInspections(database, 15_000, maxRows)) names.push(...owners);
    return names;
  };
  const all = await checks(entries);
  const ofLedger = ["row_each_game_impressions", "entry_groups", "whole_charges"];
  expect(all).toEqual(expect.arrayContaining(ofLedger));
  const withoutLedger = await checks(entries - 1);
  expect(withoutLedger).toContain("row_impressions");
  for (const name of ofLedger) expect(withoutLedger).not.toContain(name);
});

it("keeps what checks found for which the ledger has become too long", async () => {
  await addImpressionEntries(advertiserOf(8));
  const { reconciler } = createReconciler();
  const checksOf = (message: string) => lines.filter(({ msg }) => msg === message).map(({ check }) => check);
  await reconciler.cycle(running);
  expect(checksOf("reconciliation difference found")).toContain("whole_charges");
  try {
    await database.$executeRaw`UPDATE pg_class SET reltuples = 3000000 WHERE oid = 'ledger_entries'::regclass`;
    await reconciler.cycle(running);
    expect(checksOf("reconciliation difference resolved")).not.toContain("whole_charges");
  } finally {
    await database.$executeRaw`ANALYZE ledger_entries`;
  }
});
