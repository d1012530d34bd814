import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { PoolClient } from "./client.ts";
import { LockTimeout, translateError } from "./errors.ts";
import { MigrationAdapterFactory } from "./migration-adapter.ts";
import { createSchemaEngine } from "./schema-engine.ts";

const SCHEMA = new URL("../../../prisma/schema.prisma", import.meta.url);
const MIGRATIONS = new URL("../../../prisma/migrations/", import.meta.url);
/** Key of the advisory lock; arbitrary, but no other user of the database may use it. */
const LOCK_KEY = 7_430_921_511;
const LOCK_EVERY_MS = 100;

interface MigrateOptions {
  /** Called with one sentence for each step. */
  log?: (sentence: string) => void;
  /** Time limit for waiting for another migrating process. Default: 120 000. */
  lockTimeoutMs?: number;
  /** Default: prisma/migrations. */
  folder?: URL;
}

interface Migration {
  name: string;
  sql: string;
}

/**
 * Applies the missing migrations of a folder and returns their names. Writes the same history as `prisma migrate
 * deploy`. Concurrent processes wait for each other. Rejects when an earlier migration failed and was not repaired, and
 * with the classes of errors.ts.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<string[]> {
  const folder = options.folder ?? MIGRATIONS;
  const migrations = await readMigrations(folder);
  let lock: pg.Client | undefined;
  try {
    lock = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
    lock.on("error", () => {}); // The running statement rejects as well.
    await lock.connect();
    await takeLock(lock, options.lockTimeoutMs ?? 120_000);
    if (await isUpToDate(lock, migrations)) return [];
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

/** Polls: CREATE INDEX CONCURRENTLY waits for all running statements, so also for one that would wait for the lock. */
async function takeLock(client: pg.Client, timeoutMs: number): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
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

/** Avoids starting the schema engine when every migration is applied, which is the usual case. */
async function isUpToDate(client: pg.Client, migrations: Migration[]): Promise<boolean> {
  const table = await client.query("SELECT to_regclass('_prisma_migrations') IS NOT NULL AS found");
  if (table.rows[0]?.found !== true) return false;
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
    connectionString: url,
    max: 4,
    connectionTimeoutMillis: 10_000,
    Client: PoolClient,
  });
  pool.on("error", () => {}); // A connection that breaks while idle is replaced.
  try {
    const engine = await createSchemaEngine(
      new MigrationAdapterFactory(pool, () => log?.("Waiting for locks of other sessions, such as a dump …")),
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
