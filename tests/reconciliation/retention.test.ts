import { type AuditReport, reconcileAll } from "@diegetic/billing";
import { readBillingSettings } from "@diegetic/billing/settings";
import type { ImpressionRecord } from "@diegetic/contracts";
import { createDatabase, DAY_MS, type Database, utcDay } from "@diegetic/database";
import { createBillingProducer } from "@diegetic/hot-state";
import { createLogger, createMetrics, type Metrics } from "@diegetic/service-kit";
import { awayFromMidnight, eventually } from "@diegetic/testing/eventually";
import { isLongForm } from "@diegetic/testing/rounds";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createBillingMeasures } from "../../services/billing/src/measures.ts";
import { inspect } from "../../services/billing/src/reconciliation/comparison.ts";
import { dayInspections, recentDays } from "../../services/billing/src/reconciliation/member-checks.ts";
import { MIN_RETENTION_DAYS } from "../../services/billing/src/retention/limits.ts";
import { Retention } from "../../services/billing/src/retention/retention.ts";
import { createDatabaseSession, type DatabaseSession } from "./database-session.ts";
import { type Advertiser, type Campaign, World } from "./world.fixture.ts";

const PATIENCE = { timeoutMs: 60_000 };
const STATEMENT_TIMEOUT_MS = 15_000;
const NEVER = new AbortController().signal;

let world: World;
let sql: DatabaseSession;
let database: Database;
let advertiser: Advertiser;
let campaign: Campaign;
let other: Campaign;
/** The last impressions written before each of these were made as many days older. */
const records = new Map<number, ImpressionRecord>();
const lines: { msg: string; day?: string }[] = [];

const dayBack = (days: number) => utcDay(Date.now() - days * DAY_MS);

function retention(nowMs: () => number = Date.now, retentionDays = MIN_RETENTION_DAYS): Retention {
  return new Retention({
    database,
    money: world.money,
    measures: createBillingMeasures(createMetrics({ service: "billing" })),
    logger: createLogger(
      { service: "billing", instance: "test", level: "info" },
      { write: (line) => lines.push(JSON.parse(line)) },
    ),
    nowMs: async () => nowMs(),
    retentionDays,
  });
}

async function readMetric(metrics: Metrics, name: string): Promise<number> {
  const { text } = await metrics.exposition();
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (.+)$`, "m").exec(text)?.[1]);
}

function audit(): Promise<AuditReport> {
  return reconcileAll({ ...world.urls, quietWithinMs: 500, pausesMs: [20, 40] });
}

async function differing(): Promise<string[]> {
  const { findings } = await audit();
  return [...new Set(findings.map(({ check }) => check))].sort();
}

/** Everything that billing adds up, except the impressions. */
async function totals(): Promise<unknown> {
  const [row] = await sql.run(`SELECT
    (SELECT json_agg(t ORDER BY id) FROM (SELECT id, spent_millicents, impressions FROM advertisers) t) AS advertisers,
    (SELECT json_agg(t ORDER BY id) FROM
      (SELECT id, spent_millicents, impressions, unique_users FROM campaigns) t) AS campaigns,
    (SELECT json_agg(t ORDER BY id) FROM
      (SELECT id, spent_millicents, impressions, unique_users, affinity_score_sum FROM creatives) t) AS creatives,
    (SELECT json_agg(t ORDER BY t::text) FROM (SELECT * FROM campaign_countries) t) AS countries,
    (SELECT json_agg(t ORDER BY t::text) FROM (SELECT * FROM campaign_games) t) AS games,
    (SELECT json_agg(t ORDER BY t::text) FROM (SELECT * FROM campaign_rollups) t) AS days,
    (SELECT json_agg(t ORDER BY t::text) FROM (SELECT * FROM game_rollups) t) AS game_days,
    (SELECT json_agg(t ORDER BY t::text) FROM (SELECT * FROM game_advertiser_rollups) t) AS game_advertisers,
    (SELECT json_agg(t ORDER BY t::text) FROM (SELECT * FROM game_totals) t) AS game_totals,
    (SELECT json_agg(t ORDER BY t::text) FROM (SELECT * FROM reached_users) t) AS reached,
    (SELECT json_agg(t ORDER BY t::text) FROM (SELECT id, impressions, contribution_sum FROM affinities) t) AS affinities,
    (SELECT json_agg(t ORDER BY id) FROM (SELECT * FROM ledger_entries) t) AS ledger`);
  return row;
}

async function partitions(): Promise<string[]> {
  const rows = await sql.run(
    "SELECT relname FROM pg_class WHERE relispartition AND relkind = 'r' AND relname LIKE 'impressions%' ORDER BY 1",
  );
  return rows.map(({ relname }) => String(relname));
}

const partitionOf = (day: string) => `impressions_${day.replaceAll("-", "")}`;

/** Twelve impressions that were recorded the given number of days ago: written today, then made older. */
async function impressionsOf(daysBack: number): Promise<void> {
  world.startBilling();
  const developer = advertiser.accountId;
  for (let i = 0; i < 12; i++) {
    const choice = { user: `user-${"x".repeat(i % 4)}`, game: `game {${i % 2}}`, developer };
    const record = await world.impress(i % 3 === 0 ? other : campaign, choice);
    records.set(daysBack, record);
  }
  await world.written(advertiser.advertiserId);
  await world.stopBilling();
  await writeQueued();
  if (daysBack === 0) return;
  await sql.run("SELECT ensure_impression_partition($1::date)", [dayBack(daysBack)]);
  const today = dayBack(0);
  for (const table of ["campaign_rollups", "game_rollups", "game_advertiser_rollups", "reached_users"]) {
    await sql.run(`UPDATE ${table} SET day = day - $1::int WHERE day = $2::date`, [daysBack, today]);
  }
  await sql.run(
    `UPDATE impressions SET day = day - $1::int, recorded_at = recorded_at - make_interval(days => $1),
       matched_at = matched_at - make_interval(days => $1) WHERE day = $2::date`,
    [daysBack, today],
  );
}

/** A record swept twice is in two jobs: the later one would write it again once its row is older. */
async function writeQueued(): Promise<void> {
  const producer = createBillingProducer(world.urls.redisUrl);
  world.startBilling();
  await eventually(async () => (await producer.depth()) === 0);
  await world.stopBilling();
  await producer.close();
}

/** The record as it was before its row was made older. */
function olderRecord(daysBack: number): ImpressionRecord {
  const record = records.get(daysBack);
  if (record === undefined) throw new Error("there are no such impressions");
  const match = { ...record.match, matched_at_ms: record.match.matched_at_ms - daysBack * DAY_MS };
  return { ...record, match, recorded_at_ms: record.recorded_at_ms - daysBack * DAY_MS };
}

async function deliver(record: ImpressionRecord): Promise<void> {
  const producer = createBillingProducer(world.urls.redisUrl);
  await producer.add([record]);
  await producer.close();
}

beforeAll(async () => {
  await awayFromMidnight(3);
  world = await World.open();
  sql = await createDatabaseSession(world.urls.databaseUrl);
  database = createDatabase(world.urls.databaseUrl);
  advertiser = await world.advertiser(50_000);
  campaign = await world.campaign(advertiser);
  other = await world.campaign(advertiser);
  for (const days of [30, MIN_RETENTION_DAYS + 1, MIN_RETENTION_DAYS, 0]) await impressionsOf(days);
  const affinity = { affinity_type: "mood", affinity_value: "tense" };
  const made = await advertiser.post(`/campaigns/${campaign.campaignId}/affinities`, affinity).expect(201);
  await sql.run(
    `UPDATE impressions SET affinities = jsonb_build_array(jsonb_build_object('affinity_id', $1::text, 'contribution', 0.25))
     WHERE campaign_id = $2`,
    [made.body.id, campaign.campaignId],
  );
  await sql.run("UPDATE affinities SET impressions = 32");
  await world.management.repairLoop.stop();
}, 600_000);
afterAll(async () => {
  await Promise.all([sql.close(), database.$disconnect()]);
  await world.close();
});

describe("IMPRESSION_RETENTION_DAYS", () => {
  const read = (value: string) =>
    readBillingSettings({
      DATABASE_URL: "postgres://h/d",
      REDIS_URL: "redis://h",
      IMPRESSION_RETENTION_DAYS: value,
    }).settings.impressionRetentionDays;

  it("is off by default, and at least as long as a match may be billed and clocks may disagree", () => {
    expect(
      readBillingSettings({ DATABASE_URL: "postgres://h/d", REDIS_URL: "redis://h" }).settings,
    ).toMatchObject({ impressionRetentionDays: undefined });
    expect(read("8")).toBe(8);
    expect(() => read("7")).toThrow("IMPRESSION_RETENTION_DAYS");
  });
});

describe("dropping old impressions", () => {
  it.each(["campaign_rollups", "game_rollups", "game_advertiser_rollups"])(
    "keeps a day whose rows and %s disagree, because only the rows can say why",
    async (table) => {
      const alter = (by: number) =>
        sql.run(`UPDATE ${table} SET impressions = impressions + $1 WHERE day = $2::date`, [by, dayBack(30)]);
      lines.length = 0;
      await alter(1);
      await retention(Date.now, 20).pass(NEVER);
      await alter(-1);
      expect(await partitions()).toContain(partitionOf(dayBack(30)));
      expect(lines).toContainEqual(
        expect.objectContaining({
          day: dayBack(30),
          msg: "old impressions kept: they differ from totals",
        }),
      );
    },
  );

  it("drops whole days, once by concurrent instances, and keeps every total", async () => {
    expect(await differing()).toEqual([]);
    const before = await totals();
    const metrics = createMetrics({ service: "billing" });
    const others = createMetrics({ service: "billing" });
    const settings = { IMPRESSION_RETENTION_DAYS: String(MIN_RETENTION_DAYS) };
    const pace = { retainEveryMs: 20 };
    world.startBilling(pace, { settings, metrics });
    world.startBilling(pace, { settings, metrics: others });
    const left = [dayBack(MIN_RETENTION_DAYS), dayBack(0), dayBack(-1), dayBack(-2)].map(partitionOf);
    await eventually(async () => (await partitions()).join() === left.join(), PATIENCE);
    for (const one of [metrics, others]) {
      await eventually(
        async () => (await readMetric(one, "billing_impression_days_overdue")) === 0,
        PATIENCE,
      );
    }
    await world.stopBilling();
    expect(await totals()).toEqual(before);
    expect(await sql.run("SELECT impressions::int FROM dropped_impression_days")).toEqual([
      { impressions: 12 },
      { impressions: 12 },
    ]);
    expect(await sql.run("SELECT count(*)::int AS rows FROM impressions")).toEqual([{ rows: 24 }]);
    const dropped = (of: Metrics) => readMetric(of, "billing_impressions_dropped_total");
    expect((await dropped(metrics)) + (await dropped(others))).toBe(24);
  });

  it("leaves stores that agree, as the audit and continuous reconciliation see them", async () => {
    const report = await audit();
    expect(report.findings).toEqual([]);
    expect(report.verdict).toBe("agrees");
    expect(report.lines.find(({ check }) => check === "whole_impressions")).toMatchObject({
      expected: 10n * 48n,
      found: 10n * 48n,
    });
    const log: string[] = [];
    const metrics = createMetrics({ service: "billing" });
    world.startBilling(
      { reconcileEveryMs: 20, reconcilePauseMs: 1, reconcileRestFactor: 0 },
      { metrics, log: (line) => log.push(line) },
    );
    await eventually(async () => (await readMetric(metrics, "reconciliation_cycles_total")) > 0, PATIENCE);
    await world.stopBilling();
    expect(log.filter((line) => line.includes("reconciliation difference found"))).toEqual([]);
  });

  const OLD_DAY = "day < current_date - 8";
  const changes: [change: string, check: string][] = [
    [`campaign_rollups SET impressions = impressions + 1 WHERE ${OLD_DAY}`, "day_impressions"],
    [`game_rollups SET impressions = impressions + 1 WHERE ${OLD_DAY}`, "row_each_game_impressions"],
    [
      `game_advertiser_rollups SET impressions = impressions + 1 WHERE ${OLD_DAY}`,
      "row_game_advertiser_impressions",
    ],
    ["creatives SET impressions = impressions + 1", "row_creative_impressions"],
    ["campaign_countries SET impressions = impressions + 1", "row_country_impressions"],
    ["campaign_games SET impressions = impressions + 1", "row_campaign_game_impressions"],
    ["campaign_version_rollups SET impressions = impressions + 1", "row_version_impressions"],
    ["affinities SET impressions = impressions + 1", "row_affinities"],
    ["campaigns SET unique_users = unique_users + 1", "row_users"],
    // Alone, because other changes differ in this check, too.
    ["dropped_impression_days SET impressions = impressions + 1", "whole_impressions"],
  ];
  const together = isLongForm ? changes.map((one) => [one]) : [changes.slice(0, -1), changes.slice(-1)];
  it.each(together.map((group) => [group.map(([change]) => change).join("; "), group] as const))(
    "does not hide what is changed in %s",
    async (_changes, group) => {
      for (const [change] of group) await sql.run(`UPDATE ${change}`);
      try {
        expect(await differing()).toEqual(expect.arrayContaining(group.map(([, check]) => check)));
      } finally {
        for (const [change] of group) await sql.run(`UPDATE ${change.replace("+ 1", "- 1")}`);
      }
      expect(await differing()).toEqual([]);
    },
  );

  it("knows a record of a kept day that is delivered again", async () => {
    const before = await totals();
    const metrics = createMetrics({ service: "billing" });
    world.startBilling({}, { metrics });
    await deliver(olderRecord(MIN_RETENTION_DAYS));
    await eventually(
      async () => (await readMetric(metrics, "billing_records_duplicate_total")) === 1,
      PATIENCE,
    );
    await world.stopBilling();
    expect(await totals()).toEqual(before);
    expect(await differing()).toEqual([]);
  });

  it("quarantines a record of a dropped day that is delivered again: it is never billed twice", async () => {
    const before = await totals();
    world.startBilling();
    await deliver(olderRecord(30));
    const quarantined = () => sql.run("SELECT reason FROM quarantined_impressions WHERE resolved_at IS NULL");
    await eventually(async () => (await quarantined()).length === 1, PATIENCE);
    await world.stopBilling();
    expect((await quarantined())[0]?.reason).toContain("IMPRESSION_RETENTION_DAYS");
    expect(await totals()).toEqual(before);
    expect(await differing()).toEqual(["quarantined"]);
    await sql.run("UPDATE quarantined_impressions SET resolved_at = now(), resolution = 'billed before'");
    expect(await differing()).toEqual([]);
  });

  it("refuses to break spending down by what is gone, and goes on with days and campaigns", async () => {
    const [from, to] = [dayBack(30), dayBack(28)];
    const refused = await advertiser.get(`/analytics/spend?from=${from}&to=${to}`).expect(422);
    expect(refused.body.detail).toBe(
      `The impressions up to ${from} were dropped: ask for later days, or group by day and campaign only.`,
    );
    const { body } = await advertiser
      .get(`/analytics/spend?from=${from}&to=${to}&group_by=day,campaign`)
      .expect(200);
    expect(body.total.impressions).toBe(12);
    await advertiser.get(`/analytics/spend?from=${dayBack(MIN_RETENTION_DAYS)}`).expect(200);
  });

  it("drops a day although some transaction on the impressions always lasts for more than a second", async () => {
    const daysBack = 20;
    await impressionsOf(daysBack);
    const reader = await createDatabaseSession(world.urls.databaseUrl);
    await reader.run("BEGIN");
    await reader.run("SELECT FROM impressions LIMIT 0");
    world.startBilling(
      { retainEveryMs: 20 },
      { settings: { IMPRESSION_RETENTION_DAYS: String(MIN_RETENTION_DAYS) } },
    );
    // Tables of other test databases have the same id.
    const waitsForOverASecond = `SELECT FROM pg_locks WHERE relation = 'impressions'::regclass
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND mode = 'AccessExclusiveLock' AND NOT granted AND waitstart < clock_timestamp() - interval '1.1 seconds'`;
    await eventually(async () => (await sql.run(waitsForOverASecond)).length > 0, PATIENCE);
    await reader.run("COMMIT");
    await reader.close();
    await eventually(async () => !(await partitions()).includes(partitionOf(dayBack(daysBack))), PATIENCE);
    await world.stopBilling();
    expect(await differing()).toEqual([]);
  });

  it("stops although the sums of a day take minutes, and drops it later", async () => {
    const daysBack = 17;
    await impressionsOf(daysBack);
    await sql.run(`CREATE FUNCTION take_minutes() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_sleep(600); RETURN NEW; END'`);
    await sql.run(`CREATE TRIGGER take_minutes BEFORE INSERT ON dropped_impression_days
      FOR EACH ROW EXECUTE FUNCTION take_minutes()`);
    const log: string[] = [];
    world.startBilling(
      { retainEveryMs: 20 },
      {
        settings: { IMPRESSION_RETENTION_DAYS: String(MIN_RETENTION_DAYS) },
        log: (line) => log.push(line),
      },
    );
    const isSleeping = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`;
    await eventually(async () => (await sql.run(isSleeping)).length > 0, PATIENCE);
    await world.stopBilling();
    expect(await sql.run(isSleeping)).toEqual([]);
    expect(log.filter((line) => /"level":[45]0\b/.test(line))).toEqual([]);
    await sql.run("DROP FUNCTION take_minutes CASCADE");
    expect(await partitions()).toContain(partitionOf(dayBack(daysBack)));
    await retention().pass(NEVER);
    expect(await partitions()).not.toContain(partitionOf(dayBack(daysBack)));
  });

  it("finds no difference in a day that is dropped while days are compared", async () => {
    const daysBack = 15;
    await impressionsOf(daysBack);
    const findings: string[] = [];
    for await (const inspection of dayInspections(database, recentDays(Date.now()), STATEMENT_TIMEOUT_MS)) {
      // Takes effect at the first of the days.
      await retention().pass(NEVER);
      const { findings: found } = await inspect(inspection, [1]);
      findings.push(...found.map(({ check, subject }) => `${check} ${subject}`));
    }
    expect(await partitions()).not.toContain(partitionOf(dayBack(daysBack)));
    expect(findings).toEqual([]);
  });

  it("waits for records in an outbox that may be of an impression of the day", async () => {
    const matchDay = dayBack(6);
    await sql.run("SELECT ensure_impression_partition($1::date)", [matchDay]);
    await world.impress(campaign);
    const later = () => Date.now() + 20 * DAY_MS;
    await retention(later).pass(NEVER);
    expect(await partitions()).toEqual(expect.arrayContaining([matchDay, dayBack(0)].map(partitionOf)));
    expect(lines).toContainEqual(
      expect.objectContaining({
        day: matchDay,
        msg: "old impressions kept: records wait to be written",
      }),
    );
    world.startBilling();
    await world.written(advertiser.advertiserId);
    await world.stopBilling();
    await retention(later).pass(NEVER);
    expect(await partitions()).toEqual([]);
  });
});
