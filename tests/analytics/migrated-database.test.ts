import { readdir, readFile } from "node:fs/promises";
import { createDatabase, type Database, migrate, Prisma } from "@diegetic/database";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import pg from "pg";
import type { Comparison } from "../../services/billing/src/reconciliation/comparison.ts";
import { wholeInspections } from "../../services/billing/src/reconciliation/whole-checks.ts";
import {
  countriesQuery,
  creativesQuery,
  daysQuery,
  type Query,
  statsQuery,
} from "../../services/management/src/features/analytics/statements.ts";

const MIGRATIONS = new URL("../../prisma/migrations/", import.meta.url);
const TESTED = "20261121000500_narrow_rollups";

/** 2 000 impressions of two advertisers with three campaigns each, over 13 days, as any version stores them. */
const IMPRESSIONS = `
  SELECT ensure_impression_partition(date '2026-10-01' + n) FROM generate_series(0, 12) n;
  INSERT INTO accounts (id, label) SELECT 'acct_' || n, 'test' FROM generate_series(0, 5) n;
  INSERT INTO advertisers (id, account_id, company_name, contact_email, contact_email_lower, deposited_millicents)
    SELECT 'adv_' || n, 'acct_' || n, 'x', n || '@example.com', n || '@example.com', 100000000 FROM generate_series(0, 1) n;
  INSERT INTO deposits (id, advertiser_id, amount_cents) SELECT 'dep_' || n, 'adv_' || n, 100000 FROM generate_series(0, 1) n;
  INSERT INTO campaigns (id, advertiser_id, name, budget_cents, cpm_bid_cents)
    SELECT 'camp_' || n, 'adv_' || n % 2, 'x', 90000, 500 FROM generate_series(0, 6) n;
  INSERT INTO creatives (id, campaign_id, creative_type, brand_name)
    SELECT 'crt_' || n || '_' || m, 'camp_' || n, 'product_mention', 'b'
    FROM generate_series(0, 6) n, generate_series(0, 2) m;
  INSERT INTO impressions (day, impression_id, match_id, advertiser_id, campaign_id, campaign_version, creative_id, game_id,
      developer_account_id, user_hash, session_key, country_code, affinity_score, affinities, price_millicents,
      revenue_share_basis_points, earning_microcents, matched_at, recorded_at)
    SELECT day, 'imp_' || n, 'mat_' || n, 'adv_' || campaign % 2, 'camp_' || campaign, n % 4,
      'crt_' || campaign || '_' || n * 7 % 3, 'game ' || game, 'acct_' || 2 + game % 4, 'user ' || player, 'session',
      (ARRAY['DE', 'US', NULL, 'AT'])[1 + player % 4], (n % 40) / 4.0, '[]', 100 + n % 900, 7000,
      (100 + n % 900) * 700, day + time '12:00', day + time '12:01'
    FROM (SELECT n, n * 31 % 6 AS campaign, (n / 3) % 5 AS game, n * n % 83 AS player, date '2026-10-01' + n % 13 AS day
      FROM generate_series(1, 2000) n) AS seen`;

/** The rollups that billing of that version kept, under its column names. */
const ROLLUPS_OF_BEFORE = `
  INSERT INTO campaign_rollups SELECT campaign_id, day, creative_id, coalesce(country_code, ''), game_id, count(*),
    sum(price_millicents), sum(affinity_score) FROM impressions GROUP BY 1, 2, 3, 4, 5;
  INSERT INTO game_rollups SELECT game_id, day, advertiser_id, developer_account_id, count(*), sum(earning_microcents)
    FROM impressions GROUP BY 1, 2, 3, 4;
  INSERT INTO unique_users SELECT DISTINCT campaign_id, member.dimension::unique_user_dimension, member.key, user_hash
    FROM impressions CROSS JOIN LATERAL (VALUES ('total', ''), ('day', day::text), ('creative', creative_id),
      ('country', coalesce(country_code, ''))) AS member(dimension, key);
  INSERT INTO unique_user_counts SELECT campaign_id, dimension, dimension_key, count(*) FROM unique_users GROUP BY 1, 2, 3;
  INSERT INTO campaign_version_rollups SELECT campaign_id, campaign_version, count(*) FROM impressions GROUP BY 1, 2;
  UPDATE advertisers SET (impressions, spent_millicents) = (SELECT count(*), sum(price_millicents) FROM impressions
    WHERE advertiser_id = advertisers.id);
  UPDATE campaigns SET (impressions, spent_millicents) = (SELECT count(*), coalesce(sum(price_millicents), 0)
    FROM impressions WHERE campaign_id = campaigns.id);
  UPDATE creatives SET impressions = (SELECT count(*) FROM impressions WHERE creative_id = creatives.id);
  INSERT INTO ledger_entries (posting_id, kind, day, account_id, advertiser_id, campaign_id, game_id, impressions,
      amount_microcents)
    SELECT 'batch', entry.kind::ledger_kind, day, account_id, advertiser_id, campaign_id, game_id, count(*),
      sum(entry.microcents)
    FROM impressions CROSS JOIN LATERAL (VALUES
      ('charge', replace(advertiser_id, 'adv', 'acct'), -price_millicents * 1000),
      ('earning', developer_account_id, earning_microcents),
      ('fee', NULL, price_millicents * 1000 - earning_microcents)) AS entry(kind, account_id, microcents)
    GROUP BY 1, 2, 3, 4, 5, 6, 7`;

/** What analytics of a campaign have to answer, by its impressions alone. */
const MEMBERS: [member: string, Query, isScored: boolean][] = [
  ["day::text AS day", daysQuery("2026-01-01"), true],
  [`creative_id AS "creativeId"`, creativesQuery, true],
  [`coalesce(country_code, '') AS "countryCode"`, countriesQuery, false],
];

let database: TestDatabase;
let client: pg.Client;
let prisma: Database;
let applied: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query("SET TIME ZONE 'UTC'");
  const { rows: history } = await client.query("SELECT * FROM _prisma_migrations WHERE migration_name < $1", [
    TESTED,
  ]);
  await client.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  for (const name of (await readdir(MIGRATIONS)).sort().filter((folder) => folder < TESTED)) {
    await client.query(await readFile(new URL(`${name}/migration.sql`, MIGRATIONS), "utf8"));
  }
  await client.query(`CREATE TABLE _prisma_migrations (id VARCHAR(36) PRIMARY KEY, checksum VARCHAR(64) NOT NULL,
    finished_at TIMESTAMPTZ, migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
    started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`);
  await client.query(
    "INSERT INTO _prisma_migrations SELECT * FROM json_populate_recordset(NULL::_prisma_migrations, $1)",
    [JSON.stringify(history)],
  );
  await client.query(IMPRESSIONS);
  await client.query(ROLLUPS_OF_BEFORE);
  applied = await migrate(database.url);
  prisma = createDatabase(database.url);
});
afterAll(async () => {
  await Promise.all([client.end(), prisma.$disconnect()]);
  await database.drop();
});

const numbers = (row: object) =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, typeof value === "bigint" ? Number(value) : value]),
  );

async function readRows(campaignId: string, query: Query): Promise<object[]> {
  const rows = await prisma.$queryRaw<object[]>(
    Prisma.sql`SELECT answer.* FROM (SELECT ${campaignId}::text AS id) AS own, LATERAL (${query}) AS answer`,
  );
  return rows.map(numbers);
}

async function counted(text: string, campaignId: string): Promise<object[]> {
  return (await client.query<object>(text, [campaignId])).rows;
}

describe("a database of the version before the narrow rollups", () => {
  it("is brought to the newest version", () => {
    expect(applied[0]).toBe(TESTED);
  });

  it.each([0, 1, 2, 3, 4, 5, 6].map((n) => `camp_${n}`))("answers the same analytics: %s", async (id) => {
    for (const [member, query, isScored] of MEMBERS) {
      const expected = await counted(
        `SELECT ${member}, count(*)::int AS impressions, count(DISTINCT user_hash)::int AS "uniqueUsers",
          sum(price_millicents)::int AS "spentMillicents"
          ${isScored ? `, (sum(affinity_score) * 1000000)::int AS "scoreMillionths"` : ""}
        FROM impressions WHERE campaign_id = $1 GROUP BY 1`,
        id,
      );
      const answers = await readRows(id, query);
      const rows = answers.filter((row) => "impressions" in row && row.impressions !== 0);
      expect(rows).toHaveLength(expected.length);
      expect(rows).toEqual(expect.arrayContaining(expected.map((row) => expect.objectContaining(row))));
    }
    const [expected] = await counted(
      `SELECT count(*)::int AS impressions, count(DISTINCT user_hash)::int AS "uniqueUsers",
        count(DISTINCT game_id)::int AS "uniqueGames", coalesce(sum(price_millicents), 0)::int AS "spentMillicents",
        (coalesce(sum(affinity_score), 0) * 1000000)::int AS "scoreMillionths", 90000 AS "budgetCents",
        (SELECT creative_id FROM impressions WHERE campaign_id = $1
          GROUP BY 1 ORDER BY count(*) DESC, creative_id LIMIT 1) AS "topCreativeId",
        (SELECT game_id FROM impressions WHERE campaign_id = $1
          GROUP BY 1 ORDER BY count(*) DESC, game_id LIMIT 1) AS "topGameId"
      FROM impressions WHERE campaign_id = $1`,
      id,
    );
    expect(await readRows(id, statsQuery)).toEqual([expected]);
  });

  it("agrees in every row", async () => {
    const comparisons: Comparison[] = [];
    for await (const inspection of wholeInspections(prisma, 15_000)) {
      comparisons.push(...(await inspection.read()).comparisons);
    }
    expect(comparisons.length).toBeGreaterThan(10);
    expect(comparisons.filter(({ expected, found }) => expected !== found)).toEqual([]);
  });

  it("remembers exactly the players that were reached", async () => {
    const { rows } = await client.query(`
      SELECT count(*)::int AS remembered, (SELECT count(*)::int FROM (SELECT DISTINCT campaign_id, user_hash, day,
        creative_id, country_code FROM impressions) AS reached) AS reached FROM reached_users`);
    expect(rows[0].remembered).toBe(rows[0].reached);
  });
});
