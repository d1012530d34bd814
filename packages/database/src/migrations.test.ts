import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { migrate } from "./migrate.ts";
import { MigrationAdapterFactory } from "./migration-adapter.ts";
import { createSchemaEngine } from "./schema-engine.ts";

const SCHEMA = new URL("../../../prisma/schema.prisma", import.meta.url);

/** Enumerations, columns, keys and indexes of a database, as comparable lines. */
const STRUCTURE = [
  `SELECT 'enum ' || t.typname || ' ' || string_agg(e.enumlabel, ',' ORDER BY e.enumsortorder) AS line
   FROM pg_type t JOIN pg_enum e ON e.enumtypid = t.oid GROUP BY t.typname`,
  // Prisma has no NOT NULL for arrays: the migration adds it.
  `SELECT 'column ' || table_name || '.' || column_name || ' ' || udt_name || ' '
     || CASE WHEN data_type = 'ARRAY' THEN 'array' ELSE is_nullable END || ' '
     || coalesce(column_default, '') || ' ' || coalesce(numeric_precision || ',' || numeric_scale, '')
     || ' ' || coalesce(datetime_precision::text, '') AS line
   FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE '\\_%'`,
  `SELECT 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) AS line
   FROM pg_constraint WHERE contype IN ('p', 'u', 'f') AND connamespace = 'public'::regnamespace
     AND conrelid::regclass::text NOT LIKE '\\_%'`,
  // Only migrations create partial indexes; the definition of a partitioned table names only the table.
  `SELECT 'index ' || replace(indexdef, ' ON ONLY ', ' ON ') AS line FROM pg_indexes
   WHERE schemaname = 'public' AND indexdef NOT LIKE '% WHERE %' AND tablename NOT LIKE '\\_%'`,
];

/** Migrations until this one were made before the rule. */
const LAST_WITH_BLOCKING_INDEXES = "20261128000200_settled_settlements";

/** Whether a migration builds an index while writes to its table wait; a table that it creates has no rows. */
function blocksWrites(sql: string): boolean {
  const statements = sql
    .replaceAll(/--.*$/gm, "")
    .split(";")
    .filter((statement) => statement.trim() !== "");
  const created = new Set(
    [...sql.matchAll(/\bCREATE TABLE (?:IF NOT EXISTS )?"?(\w+)/gi)].map(([, name]) => name),
  );
  return statements.some((statement) => {
    const index =
      /\bINDEX\s+(CONCURRENTLY\s)?[^(]*\bON\s+(?:ONLY\s+)?"?(\w+)/i.exec(statement) ??
      /\bALTER TABLE\s+()(?:ONLY\s+)?"?(\w+)"?[^;]*\bADD\b[^;]*\b(?:UNIQUE|PRIMARY KEY|EXCLUDE)\b(?!\s+USING INDEX)/i.exec(
        statement,
      );
    if (index === null || created.has(index[2])) return false;
    return !index[1] || statements.length > 1;
  });
}

let migrated: TestDatabase;
let described: TestDatabase;
let pools: pg.Pool[] = [];

function poolOn(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  pool.on("error", () => {}); // Dropping the database may overtake the end of an idle connection.
  pools.push(pool);
  return pool;
}

async function structureOf(url: string): Promise<string[]> {
  const pool = poolOn(url);
  const lines: string[] = [];
  for (const query of STRUCTURE) {
    lines.push(...(await pool.query<{ line: string }>(query)).rows.map(({ line }) => line));
  }
  return lines.sort();
}

async function emptied(database: TestDatabase): Promise<pg.Pool> {
  const pool = poolOn(database.url);
  await pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  return pool;
}

/** Calls `use` with a folder of these migrations: scripts by name. */
async function withMigrations(
  scripts: Record<string, string>,
  use: (folder: URL) => Promise<unknown>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "migrations-"));
  try {
    await cp(
      new URL("../../../prisma/migrations/migration_lock.toml", import.meta.url),
      join(folder, "migration_lock.toml"),
    );
    for (const [name, sql] of Object.entries(scripts)) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, "migration.sql"), sql);
    }
    await use(pathToFileURL(`${folder}/`));
  } finally {
    await rm(folder, { recursive: true });
  }
}

beforeAll(async () => {
  migrated = await createTestDatabase();
  described = await createTestDatabase();
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  pools = [];
  await Promise.all([migrated.drop(), described.drop()]);
});

describe("migrations", () => {
  it("lead to exactly what schema.prisma describes", async () => {
    const pool = await emptied(described);
    const schema = await readFile(SCHEMA, "utf8");
    const engine = await createSchemaEngine(new MigrationAdapterFactory(pool), schema);
    const { stdout } = await engine.diff({
      from: { tag: "empty" },
      to: { tag: "schemaDatamodel", files: [{ path: "schema.prisma", content: schema }] },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    });
    engine.free();
    await pool.query(stdout ?? "");

    const expected = await structureOf(described.url);
    expect(expected.length).toBeGreaterThan(150);
    expect(await structureOf(migrated.url)).toEqual(expected);
  });

  it.each([
    [
      "campaign_rollups_day_campaign_id_idx",
      "SELECT sum(impressions) FROM campaign_rollups WHERE day = '2026-11-26'",
    ],
    [
      "quarantined_impressions_open_idx",
      "SELECT count(*) FROM quarantined_impressions WHERE resolved_at IS NULL",
    ],
  ])("give reads of a whole table the index %s", async (index, statement) => {
    const client = await poolOn(migrated.url).connect();
    await client.query("SET enable_seqscan TO off");
    const plan = await client.query(`EXPLAIN ${statement}`);
    client.release();
    expect(JSON.stringify(plan.rows)).toContain(index);
  });

  it("are applied once by concurrent starts", async () => {
    await emptied(described);
    const runs = await Promise.all([1, 2, 3].map(() => migrate(described.url)));
    expect(runs.flat().sort()).toEqual([
      "20261121000000_tables",
      "20261121000100_invariants",
      "20261121000200_affinity_rollups",
      "20261121000300_slot_recovery",
      "20261121000400_poison_epochs",
      "20261121000500_narrow_rollups",
      "20261121000600_answers_as_given",
      "20261121000700_verified_epochs",
      "20261121000800_resolved_poison",
      "20261121000900_late_charges",
      "20261121001000_fewer_rollups",
      "20261122000000_operations",
      "20261122000100_installation",
      "20261122000201_pause_pending",
      "20261122001000_spent_by_game",
      "20261122002000_published_sizes",
      "20261122002010_key_windows",
      "20261122003000_users",
      "20261123000000_vocabulary",
      "20261123000400_key_creators",
      "20261124000000_webhooks",
      "20261124000100_webhook_deliveries",
      "20261125000000_impression_retention",
      "20261126000000_delayed_payout_figures",
      "20261126000100_reads_by_day",
      "20261127000000_earnings_by_advertiser",
      "20261128000000_forget_ended_keys",
      "20261128000100_webhook_retention",
      "20261128000200_settled_settlements",
      "20261129000000_wallet_slices",
      "20261129000100_sliced_advertisers",
      "20261129000200_player_hash_key_check",
      "20261129000300_rollups_by_day_and_campaign",
      "20261129000400_no_rollups_by_day_alone",
      "20261130000000_full_webhooks",
      "20261130000200_queued_deliveries",
      "20261130000300_creatives_in_use",
      "20261130000400_unseen_creatives",
      "20261130000500_unseen_creatives_index",
      "20261201000000_placements_in_order",
      "20261201000100_no_placements_by_account_alone",
    ]);
    expect(await migrate(described.url)).toEqual([]);
    expect(await structureOf(described.url)).toEqual(await structureOf(migrated.url));
  });

  it("build an index on an existing table without blocking its writes", async () => {
    const folder = new URL("../../../prisma/migrations/", import.meta.url);
    const names = (await readdir(folder)).filter(
      (name) => /^\d/.test(name) && name > LAST_WITH_BLOCKING_INDEXES,
    );
    for (const name of names) {
      const sql = await readFile(new URL(`${name}/migration.sql`, folder), "utf8");
      expect([name, blocksWrites(sql)]).toEqual([name, false]);
    }
  });

  it.each([
    ['CREATE INDEX "i" ON "deposits"("id");', true],
    ["CREATE UNIQUE INDEX i ON deposits (id)", true],
    ["-- A comment;\nCREATE INDEX CONCURRENTLY i ON deposits (id);\n", false],
    ["CREATE INDEX CONCURRENTLY i ON deposits (id); CREATE INDEX CONCURRENTLY j ON deposits (id);", true],
    ['CREATE TABLE "t" (id int); CREATE INDEX i ON "t" (id);', false],
    ["CREATE TABLE t (id int); CREATE INDEX i ON deposits (id);", true],
    ["ALTER TABLE deposits ADD CONSTRAINT u UNIQUE (id);", true],
    ["ALTER TABLE deposits ADD CONSTRAINT u UNIQUE USING INDEX i;", false],
    ["ALTER TABLE deposits ADD COLUMN note text;", false],
  ])("are refused when they block writes: %s", (sql, isRefused) => {
    expect(blocksWrites(sql)).toBe(isRefused);
  });

  it("may build an index while rows are written, and while other processes wait for the migration", async () => {
    await withMigrations(
      {
        "1_table": "CREATE TABLE numbers (number int); INSERT INTO numbers SELECT generate_series(1, 1000)",
        "2_index": "-- One statement.\nCREATE INDEX CONCURRENTLY numbers_idx ON numbers (number);\n",
      },
      async (folder) => {
        const pool = await emptied(described);
        const runs = await Promise.all([1, 2, 3, 4].map(() => migrate(described.url, { folder })));
        expect(runs.flat().sort()).toEqual(["1_table", "2_index"]);
        const { rows } = await pool.query(
          "SELECT indisvalid FROM pg_index WHERE indexrelid = 'numbers_idx'::regclass",
        );
        expect(rows).toEqual([{ indisvalid: true }]);
      },
    );
  });

  it("are repeated after Postgres has ended in the middle of one", async () => {
    const scripts = {
      "1_table": "CREATE TABLE numbers (number int); INSERT INTO numbers VALUES (1)",
      "2_long":
        "CREATE TABLE later (number int); SELECT pg_sleep(600) FROM numbers; INSERT INTO later VALUES (2)",
    };
    const pool = await emptied(described);
    await withMigrations(scripts, async (folder) => {
      const interrupted = expect(migrate(described.url, { folder })).rejects.toThrow();
      await eventually(async () => {
        const { rows } = await pool.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event = 'PgSleep'`,
        );
        return rows.length === 1;
      });
      await interrupted;
      await pool.query("DELETE FROM numbers");
      expect(await migrate(described.url, { folder })).toEqual(["2_long"]);
      expect((await pool.query("SELECT * FROM later")).rows).toEqual([{ number: 2 }]);
      expect(await migrate(described.url, { folder })).toEqual([]);
    });
  });

  it("wait for one whose process has ended, and do not repeat it", async () => {
    const scripts = { "1_table": "CREATE TABLE numbers (number int)" };
    const pool = await emptied(described);
    await withMigrations(scripts, async (folder) => {
      await migrate(described.url, { folder });
      await pool.query("UPDATE _prisma_migrations SET finished_at = NULL");
      const running = await pool.connect();
      await running.query("BEGIN; UPDATE _prisma_migrations SET finished_at = now()");
      const waiting = migrate(described.url, { folder });
      await eventually(async () => {
        const { rows } = await pool.query("SELECT FROM pg_locks WHERE NOT granted");
        return rows.length > 0;
      });
      await running.query("COMMIT");
      running.release();
      expect(await waiting).toEqual([]);
    });
  });

  it("build an index again that was left invalid, and fail for the same reason until it is gone", async () => {
    const scripts = {
      "1_table": "CREATE TABLE numbers (number int); INSERT INTO numbers VALUES (1), (1)",
      "2_index": 'CREATE UNIQUE INDEX CONCURRENTLY "numbers_idx" ON numbers (number)',
    };
    const pool = await emptied(described);
    await withMigrations(scripts, async (folder) => {
      for (let attempt = 1; attempt <= 2; attempt += 1) {
        await expect(migrate(described.url, { folder })).rejects.toThrow("Unique constraint failed");
      }
      await pool.query("DELETE FROM numbers");
      expect(await migrate(described.url, { folder })).toEqual(["2_index"]);
      const { rows } = await pool.query(
        "SELECT indisvalid FROM pg_index WHERE indexrelid = 'numbers_idx'::regclass",
      );
      expect(rows).toEqual([{ indisvalid: true }]);
    });
  });

  it("let others read a table while a dump keeps it from being changed", async () => {
    const first = { "1_table": "CREATE TABLE numbers (number int)" };
    const pool = await emptied(described);
    await withMigrations(first, (folder) => migrate(described.url, { folder }));
    await withMigrations(
      { ...first, "2_column": "ALTER TABLE numbers ADD COLUMN note text" },
      async (folder) => {
        const dump = new pg.Client({ connectionString: described.url });
        await dump.connect();
        await dump.query("BEGIN; LOCK TABLE numbers IN ACCESS SHARE MODE");
        const sentences: string[] = [];
        const migrating = migrate(described.url, { folder, log: (sentence) => sentences.push(sentence) });
        try {
          await eventually(async () => {
            const { rows } = await pool.query(
              "SELECT FROM pg_locks WHERE relation = 'numbers'::regclass AND NOT granted",
            );
            return rows.length === 1;
          });
          await pool.query("SELECT number FROM numbers");
        } finally {
          await dump.end();
          await migrating;
        }
        expect(await migrating).toEqual(["2_column"]);
        expect(sentences).toContain("Waiting for locks of other sessions, such as a dump …");
      },
    );
  });

  it("give each database one installation id of its own", async () => {
    const idsOf = async (pool: pg.Pool) =>
      (await pool.query<{ id: string }>("SELECT id FROM installation")).rows.map(({ id }) => id);
    const one = await emptied(described);
    await migrate(described.url);
    const first = await idsOf(one);
    expect(first).toEqual([expect.stringMatching(/^inst_[0-9a-f]{32}$/)]);
    await migrate(described.url);
    expect(await idsOf(one)).toEqual(first);
    await emptied(described);
    await migrate(described.url);
    expect(await idsOf(one)).not.toEqual(first);
    await expect(one.query("INSERT INTO installation (id) VALUES ('inst_2')")).rejects.toThrow(
      "duplicate key",
    );
  });
});
