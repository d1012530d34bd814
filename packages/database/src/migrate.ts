import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { PoolClient } from "./client.ts";
import { connectionStringOf } from "./connection-string.ts";
import { DatabaseUnusable, LockTimeout } from "./errors.ts";
import { MigrationAdapterFactory } from "./migration-adapter.ts";
import { outdatedPostgres } from "./outdated-postgres.ts";
import { createSchemaEngine } from "./schema-engine.ts";
import { translateError } from "./translate-error.ts";

const SCHEMA = new URL("../../../prisma/schema.prisma", import.meta.url);
const MIGRATIONS = new URL("../../../prisma/migrations/", import.meta.url);
/** Key of the advisory lock; arbitrary, but no other user of the database may use it. */
const LOCK_KEY = 7_430_921_511;
/** Other values would write wrong texts, or refuse concurrent changes. PgBouncer refuses clients that set them. */
const REQUIRED_SETTINGS = { array_nulls: "on", default_transaction_isolation: "read committed" };
/** Time limit for waiting for another migrating process. */
const LOCK_TIMEOUT_MS = 120_000;
const LOCK_EVERY_MS = 100;
const IS_UNFINISHED = "finished_at IS NULL AND rolled_back_at IS NULL";
const CONCURRENT_INDEX = /\bCREATE (?:UNIQUE )?INDEX CONCURRENTLY "?(\w+)"?/i;

interface MigrateOptions {
  /** Called with one sentence for each step. */
  log?: (sentence: string) => void;
  /** Default: prisma/migrations. */
  folder?: URL;
}

interface Migration {
  name: string;
  sql: string;
}

/**
 * Applies the missing migrations of a folder and returns their names. Writes the same history as `prisma migrate
 * deploy`. Concurrent processes wait for each other. Repeats a migration that was interrupted or failed. Rejects with the
 * classes of errors.ts.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<string[]> {
  const folder = options.folder ?? MIGRATIONS;
  const migrations = await readMigrations(folder);
  let lock: pg.Client | undefined;
  try {
    lock = new pg.Client({ connectionString: connectionStringOf(url), connectionTimeoutMillis: 10_000 });
    lock.on("error", () => {}); // The running statement rejects as well.
    await lock.connect();
    const outdated = await outdatedPostgres(lock);
    if (outdated !== undefined) throw new DatabaseUnusable(outdated);
    await takeLock(lock);
    await requireSettings(lock);
    if (await hasHistory(lock)) {
      await forgetUnfinished(lock, migrations);
      if (await isUpToDate(lock, migrations)) return [];
    }
    await requirePrivileges(lock);
    options.log?.("Migrating the database …");
    const applied = await applyMigrations(url, folder, migrations, options.log);
    for (const name of applied) options.log?.(`Applied migration ${name}.`);
    return applied;
  } catch (error) {
    throw translateError(error);
  } finally {
    // Ending the session releases the lock in every case.
    await lock?.end();
  }
}

/** Throws DatabaseUnusable unless sessions of the user have the settings that statements rely on. */
async function requireSettings(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; found: string }>(
    "SELECT name, current_setting(name) AS found FROM unnest($1::text[]) AS name",
    [Object.keys(REQUIRED_SETTINGS)],
  );
  for (const [name, value] of Object.entries(REQUIRED_SETTINGS)) {
    const found = rows.find((row) => row.name === name)?.found;
    if (found === value) continue;
    throw new DatabaseUnusable(
      `${name} is ${found} in sessions of the user of DATABASE_URL: set it to ${value} for the server, the database or the user.`,
    );
  }
}

/** Throws DatabaseUnusable unless the user may create tables in the schema in which the services look for them. */
async function requirePrivileges(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ schema: string | null; mayCreate: boolean }>(
    `SELECT current_schema() AS schema, has_schema_privilege(oid, 'CREATE') AS "mayCreate"
     FROM pg_namespace WHERE nspname = 'public'`,
  );
  if (rows[0]?.mayCreate !== true) {
    throw new DatabaseUnusable(
      "The user of DATABASE_URL may not create tables: let it own the database, or GRANT CREATE ON SCHEMA public to it.",
    );
  }
  if (rows[0].schema === "public") return;
  throw new DatabaseUnusable(
    `Tables of the user of DATABASE_URL would be in the schema ${rows[0].schema}: set its search_path to public.`,
  );
}

/** Polls: CREATE INDEX CONCURRENTLY waits for all running statements, so also for one that would wait for the lock. */
async function takeLock(client: pg.Client): Promise<void> {
  const deadlineMs = performance.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    const { rows } = await client.query("SELECT pg_try_advisory_lock($1) AS taken", [LOCK_KEY]);
    if (rows[0]?.taken === true) return;
    if (performance.now() > deadlineMs) {
      throw new LockTimeout("another process is still migrating the database: see what it waits for");
    }
    await sleep(LOCK_EVERY_MS);
  }
}

async function readMigrations(folder: URL): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => ({
      name,
      sql: await readFile(new URL(`${name}/migration.sql`, folder), "utf8"),
    })),
  );
}

/**
 * Lets unfinished migrations begin anew, which the engine takes for failed ones and refuses: a process that ended while it
 * migrated leaves one behind. Postgres has undone it, except for an index that was built concurrently.
 */
async function forgetUnfinished(client: pg.Client, migrations: Migration[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT DISTINCT migration_name AS name FROM _prisma_migrations WHERE ${IS_UNFINISHED}`,
  );
  for (const { name } of rows) {
    const [, index] = CONCURRENT_INDEX.exec(migrations.find((one) => one.name === name)?.sql ?? "") ?? [];
    if (index !== undefined) await client.query(`DROP INDEX CONCURRENTLY IF EXISTS "${index}"`);
    // Waits for a script that still runs without its process, and then finds it finished (see MigrationAdapterFactory).
    await client.query(
      `UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = $1 AND ${IS_UNFINISHED}`,
      [name],
    );
  }
}

async function hasHistory(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("SELECT to_regclass('_prisma_migrations') IS NOT NULL AS found");
  return rows[0]?.found === true;
}

/** Avoids starting the schema engine when every migration is applied, which is the usual case. */
async function isUpToDate(client: pg.Client, migrations: Migration[]): Promise<boolean> {
  const history = await client.query<{ name: string }>(
    `SELECT migration_name AS name FROM _prisma_migrations
     WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
  );
  const applied = new Set(history.rows.map(({ name }) => name));
  return migrations.every(({ name }) => applied.has(name));
}

async function applyMigrations(
  url: string,
  folder: URL,
  migrations: Migration[],
  log: MigrateOptions["log"],
): Promise<string[]> {
  const pool = new pg.Pool({
    connectionString: connectionStringOf(url),
    max: 4,
    connectionTimeoutMillis: 10_000,
    Client: PoolClient,
  });
  pool.on("error", () => {}); // A connection that breaks while idle is replaced.
  try {
    const engine = await createSchemaEngine(
      new MigrationAdapterFactory(pool, new Map(migrations.map(({ name, sql }) => [sql, name])), () =>
        log?.("Waiting for locks of other sessions, such as a dump …"),
      ),
      await readFile(SCHEMA, "utf8"),
    );
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: {
        baseDir: folder.pathname,
        lockfile: {
          path: "migration_lock.toml",
          content: await readFile(new URL("migration_lock.toml", folder), "utf8"),
        },
        shadowDbInitScript: "",
        migrationDirectories: migrations.map(({ name, sql }) => ({
          path: name,
          migrationFile: { path: "migration.sql", content: { tag: "ok", value: sql } },
        })),
      },
      filters: { externalTables: [], externalEnums: [] },
    });
    return appliedMigrationNames;
  } finally {
    await pool.end();
  }
}
