import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { reconcileAll } from "@diegetic/billing";
import { migrate } from "@diegetic/database";
import { startPostgres } from "@diegetic/local-stores";
import { findPostgresWithBackupTools } from "@diegetic/testing/operators-programs";
import { startTestRedis } from "@diegetic/testing/redis";
import { afterEach, expect, it } from "@jest/globals";
import pg from "pg";
import { Town } from "./town.fixture.ts";

const run = promisify(execFile);
const TIMEOUT_MS = 300_000;
const BUDGET_CENTS = 100_000;
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
}, TIMEOUT_MS);

const programs = await findPostgresWithBackupTools().catch((error: Error) => error);
if (programs instanceof Error) {
  it.skip(`a backup is not restored here: ${programs.message}`, () => undefined);
} else {
  it(
    "a backup taken under traffic and restored beside a fresh Redis agrees with itself, and serves on",
    async () => {
      const dir = await mkdtemp(join(tmpdir(), "diegetic-backup-"));
      closers.push(() => rm(dir, { recursive: true, force: true }));
      const postgres = await startPostgres({ dir: join(dir, "postgres"), programs, settings: ["fsync=off"] });
      closers.push(() => postgres.stop());
      await migrate(postgres.url);
      const town = await openTown(postgres.url);
      await town.play(5);
      await town.agree(5);
      const open = await town.served();

      const file = join(dir, "backup");
      const backup = run(join(programs, "pg_dump"), ["--format=custom", `--file=${file}`, postgres.url]);
      let isBackedUp = false;
      void backup.then(() => {
        isBackedUp = true;
      });
      let during = 0;
      while (!isBackedUp) during += (await town.play(1)).length;
      await backup;
      await town.play(3);
      await closers.pop()?.();

      const restoredUrl = await createDatabase(postgres.url, "restored");
      await run(join(programs, "pg_restore"), ["--exit-on-error", `--dbname=${restoredUrl}`, file]);
      expect(await migrate(restoredUrl)).toEqual([]);
      const restored = await openTown(restoredUrl, town);
      const impressions = await restored.agree();
      expect(impressions).toBeGreaterThanOrEqual(5);
      expect(impressions).toBeLessThanOrEqual(5 + during);
      // What was open is void: it is refused, and never charged.
      expect(await restored.statusOf(open)).toBe(409);
      await restored.play(2);
      await restored.agree(impressions + 2);
      const report = await reconcileAll({
        databaseUrl: restoredUrl,
        redisUrl: restored.redisUrl,
        quietWithinMs: 30_000,
      });
      expect(report.verdict).toBe("agrees");
    },
    TIMEOUT_MS,
  );
}

/** A town on a fresh Redis; the last closer closes it. */
async function openTown(databaseUrl: string, restored?: Town): Promise<Town> {
  const redis = await startTestRedis();
  closers.push(() => redis.stop());
  const plan = { depositCents: BUDGET_CENTS, budgetCents: BUDGET_CENTS };
  const town = await Town.open(redis.url, plan, { databaseUrl, ...(restored && { restored }) });
  closers.push(() => town.close());
  return town;
}

async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).toString();
}
