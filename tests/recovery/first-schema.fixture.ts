import { readFile } from "node:fs/promises";
import pg from "pg";

const MIGRATIONS = new URL("../../prisma/migrations/", import.meta.url);
const FIRST = "20261121000000_tables";
/** Creates the partitions that the first migrations leave to a function. */
const SECOND = "20261121000100_invariants";

/** Tables of the first migration, owners before what they own. Later columns are left out. */
const TABLES = [
  "accounts",
  "api_keys",
  "advertisers",
  "campaigns",
  "creatives",
  "geo_targets",
  "blocklist_rules",
  "affinities",
  "placements",
  "deposits",
  "impressions",
];

/** The rollups, unique players and ledger entries that the first version of billing kept. */
const ROLLUPS = `
  INSERT INTO campaign_rollups SELECT campaign_id, day, creative_id, coalesce(country_code, ''), game_id, count(*),
    sum(price_millicents), sum(affinity_score) FROM impressions GROUP BY 1, 2, 3, 4, 5;
  INSERT INTO game_rollups SELECT game_id, day, advertiser_id, developer_account_id, count(*), sum(earning_microcents)
    FROM impressions GROUP BY 1, 2, 3, 4;
  INSERT INTO unique_users SELECT DISTINCT campaign_id, member.dimension::unique_user_dimension, member.key, user_hash
    FROM impressions CROSS JOIN LATERAL (VALUES ('total', ''), ('day', day::text), ('creative', creative_id),
      ('country', coalesce(country_code, ''))) AS member(dimension, key);
  INSERT INTO unique_user_counts SELECT campaign_id, dimension, dimension_key, count(*) FROM unique_users GROUP BY 1, 2, 3;
  INSERT INTO ledger_entries (posting_id, kind, day, account_id, advertiser_id, amount_microcents)
    SELECT d.id, 'deposit', (d.created_at AT TIME ZONE 'UTC')::date, a.account_id, a.id, d.amount_cents * 1000000::bigint
    FROM deposits d JOIN advertisers a ON a.id = d.advertiser_id;
  INSERT INTO ledger_entries (posting_id, kind, day, account_id, advertiser_id, campaign_id, game_id, impressions,
      amount_microcents)
    SELECT 'batch', entry.kind::ledger_kind, i.day, entry.account_id, i.advertiser_id, i.campaign_id, i.game_id, count(*),
      sum(entry.microcents)
    FROM impressions i JOIN advertisers a ON a.id = i.advertiser_id CROSS JOIN LATERAL (VALUES
      ('charge', a.account_id, -price_millicents * 1000),
      ('earning', developer_account_id, earning_microcents),
      ('fee', NULL, price_millicents * 1000 - earning_microcents)) AS entry(kind, account_id, microcents)
    GROUP BY 1, 2, 3, 4, 5, 6, 7`;

/** Brings a database back to its first migrations, with the same accounts, campaigns, deposits and impressions. */
export async function backToFirstSchema(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const rows = new Map<string, string>();
    for (const table of TABLES) {
      const { rows: found } = await client.query(
        `SELECT coalesce(json_agg(t), '[]')::text AS rows FROM ${table} t`,
      );
      rows.set(table, found[0].rows);
    }
    const history = await client.query(
      "SELECT json_agg(t)::text AS rows FROM _prisma_migrations t WHERE migration_name = ANY($1)",
      [[FIRST, SECOND]],
    );
    await client.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    for (const name of [FIRST, SECOND]) {
      await client.query(await readFile(new URL(`${name}/migration.sql`, MIGRATIONS), "utf8"));
    }
    await client.query(
      "SELECT ensure_impression_partition((now() AT TIME ZONE 'UTC')::date + n) FROM generate_series(-1, 1) n",
    );
    for (const [table, json] of rows) {
      await client.query(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1)`, [
        json,
      ]);
    }
    await client.query(ROLLUPS);
    await client.query(`CREATE TABLE _prisma_migrations (id VARCHAR(36) PRIMARY KEY, checksum VARCHAR(64) NOT NULL,
      finished_at TIMESTAMPTZ, migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
      started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`);
    await client.query(
      "INSERT INTO _prisma_migrations SELECT * FROM json_populate_recordset(NULL::_prisma_migrations, $1)",
      [history.rows[0].rows],
    );
  } finally {
    await client.end();
  }
}
