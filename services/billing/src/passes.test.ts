import { createDatabase, DAY_MS, type Database, utcDay } from "@diegetic/database";
import { createLogger, createMetrics } from "@diegetic/service-kit";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { type BillingService, createBillingService } from "./service.ts";
import { readBillingSettings } from "./settings.ts";

let server: TestDatabase;
let redis: TestRedis;
let database: Database;
let service: BillingService;
let lines: Record<string, unknown>[];

beforeAll(async () => {
  [server, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
  database = createDatabase(server.url);
});
afterAll(async () => {
  await database.$disconnect();
  await Promise.all([server.drop(), redis.stop()]);
});
afterEach(() => service.stop());

function startService(): void {
  lines = [];
  const write = (line: string) => {
    lines.push(JSON.parse(line));
  };
  service = createBillingService({
    ...readBillingSettings({ DATABASE_URL: server.url, REDIS_URL: redis.url }),
    logger: createLogger({ service: "billing", instance: "test", level: "info" }, { write }),
    metrics: createMetrics({ service: "billing" }),
    pace: { webhookEventsEveryMs: 20, delayedPayoutsEveryMs: 20, walkEveryMs: 20 },
  });
}

const failureOf = (task: string) =>
  lines.find((line) => line.task === task && line.msg === "task failed")?.err as
    | { message: string }
    | undefined;

describe("a job that fails", () => {
  it("does not keep payouts from being announced, and is logged", async () => {
    await database.$executeRaw`ALTER TABLE hold_outcomes RENAME TO moved_outcomes`;
    startService();
    await eventually(async () => (await database.payoutPeriod.count()) > 0);
    // Without unwritten impressions, none stay delayed.
    await database.delayedPayoutFigures.create({ data: { period: "2026-01", accountId: "acct_late" } });
    await eventually(async () => (await database.delayedPayoutFigures.count()) === 0);
    await eventually(() => failureOf("webhook events"));
    expect(failureOf("webhook events")?.message).toContain("hold_outcomes");
    await database.$executeRaw`ALTER TABLE moved_outcomes RENAME TO hold_outcomes`;
  });

  it("does not keep the backstop walk from its work, and is logged", async () => {
    const settlement = { impressionId: "imp_old", kind: "late" as const };
    await database.walletSettlement.create({
      data: {
        ...settlement,
        advertiserId: "adv_old",
        campaignId: "camp_old",
        gameId: "game",
        matchId: "mat_old",
        priceMillicents: 1n,
        day: new Date("2026-01-01"),
        committedInEpoch: 0n,
        settledAt: new Date(0),
      },
    });
    await database.$executeRaw`
      CREATE TABLE witnesses (impression_id TEXT, kind wallet_settlement_kind,
        FOREIGN KEY (impression_id, kind) REFERENCES wallet_settlements (impression_id, kind))`;
    await database.$executeRaw`INSERT INTO witnesses VALUES ('imp_old', 'late')`;
    const partition = `impressions_${utcDay(Date.now() + DAY_MS).replaceAll("-", "")}`;
    await database.$executeRawUnsafe(`DROP TABLE IF EXISTS ${partition}`);
    startService();
    await eventually(async () => {
      const rows = await database.$queryRaw<unknown[]>`SELECT FROM pg_class WHERE relname = ${partition}`;
      return rows.length > 0;
    });
    await eventually(() => failureOf("backstop walk"));
    expect(failureOf("backstop walk")?.message).toContain("witnesses");
  });
});
