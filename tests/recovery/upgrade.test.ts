import { readdir } from "node:fs/promises";
import { reconcileAll } from "@diegetic/billing";
import { migrate } from "@diegetic/database";
import { createTestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { startTestRedis } from "@diegetic/testing/redis";
import { afterEach, expect, it } from "@jest/globals";
import pg from "pg";
import { backToFirstSchema } from "./first-schema.fixture.ts";
import { type Served, Town } from "./town.fixture.ts";

const TIMEOUT_MS = 300_000;
const MIGRATIONS = new URL("../../prisma/migrations/", import.meta.url);
const PLAN = { depositCents: 100_000, budgetCents: 100_000 };
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
}, TIMEOUT_MS);

it(
  "the first schema is upgraded to the present one while matches and impressions go on, and all of them are billed",
  async () => {
    const [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
    closers.push(
      () => database.drop(),
      () => redis.stop(),
    );
    const old = await Town.open(redis.url, PLAN, { databaseUrl: database.url });
    closers.push(() => old.close());
    await old.play(5);
    await old.agree(5);
    const open = await old.served();

    // Management and billing of the old version cannot run beside the migrations, because these rename what they read.
    await old.stopBilling();
    await old.stopManagement();
    await backToFirstSchema(database.url);
    // A Redis of that time belongs to no installation.
    await old.redis.del("{snapshot}:installation");

    const during: Served[] = [];
    const refused: number[] = [];
    let isMigrating = true;
    const traffic = (async () => {
      while (isMigrating) {
        const { status, body } = await old.match();
        if (status !== 200) refused.push(status);
        else if ((await old.impression(body as Served)).status === 201) during.push(body as Served);
        else refused.push(-1);
      }
    })();
    await eventually(async () => during.length > 0);
    const before = during.length;
    const applied = await migrate(database.url);
    isMigrating = false;
    await traffic;
    const folders = (await readdir(MIGRATIONS)).filter((name) => /^\d/.test(name)).sort();
    expect(applied).toEqual(folders.slice(2));
    expect(refused).toEqual([]);
    expect(during.length).toBeGreaterThan(before);
    expect(await tablesOf(database.url, ["poison_impressions", "slot_settlements"])).toEqual([]);

    const upgraded = await Town.open(redis.url, PLAN, { databaseUrl: database.url, restored: old });
    closers.push(() => upgraded.close());
    await upgraded.agree(5 + during.length);
    // What was matched before the upgrade is billed after it.
    expect(await upgraded.statusOf(open)).toBe(201);
    await upgraded.play(2);
    await upgraded.agree(8 + during.length);
    const report = await reconcileAll({
      databaseUrl: database.url,
      redisUrl: redis.url,
      quietWithinMs: 30_000,
    });
    expect(report.findings).toEqual([]);
    expect(report.verdict).toBe("agrees");
  },
  TIMEOUT_MS,
);

/** Which of the tables exist. */
async function tablesOf(url: string, names: string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relname = ANY($1)",
    [names],
  );
  await client.end();
  return rows.map(({ name }) => name);
}
