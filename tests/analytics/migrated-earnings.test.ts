import { readFile } from "node:fs/promises";
import { inTransaction } from "@diegetic/database";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Comparison } from "../../services/billing/src/reconciliation/comparison.ts";
import { wholeInspections } from "../../services/billing/src/reconciliation/whole-checks.ts";
import { dropDay } from "../../services/billing/src/retention/drop-day.ts";
import type { Caller } from "../../services/management/src/testing/harness.ts";
import { type Advertiser, AnalyticsWorld, DAY_MS, NOON_MS } from "./world.fixture.ts";

const MIGRATION = new URL(
  "../../prisma/migrations/20261127000000_earnings_by_advertiser/migration.sql",
  import.meta.url,
);
const UPGRADES = new URL("../../docs/notes/upgrades.md", import.meta.url);
const REPAIR = /BEGIN;\n( *DELETE FROM game_advertiser_rollups .+?) *COMMIT;/s;
const DROPPED_DAY = "2026-11-11";

let world: AnalyticsWorld;
let developer: Caller;
let owners: Advertiser[];

interface EarnedRow {
  day: string;
  game_id: string;
  advertiser_id: string;
  impressions: number;
  earned: number;
}

function readRows(): Promise<EarnedRow[]> {
  return world.database.$queryRaw<EarnedRow[]>`
    SELECT day::text, game_id, advertiser_id, impressions::int, earning_microcents::int AS earned
    FROM game_advertiser_rollups WHERE account_id = ${developer.accountId}
    ORDER BY day, game_id, advertiser_id COLLATE "C"`;
}

async function run(script: string): Promise<void> {
  await inTransaction(world.database, async (transaction) => {
    for (const statement of script.split(/;\n/)) {
      if (statement.trim() !== "") await transaction.$executeRawUnsafe(statement);
    }
  });
}

async function migrate(): Promise<void> {
  await world.database.$executeRaw`DROP TABLE game_advertiser_rollups`;
  await run(await readFile(MIGRATION, "utf8"));
}

async function repair(): Promise<void> {
  const [, script = ""] = REPAIR.exec(await readFile(UPGRADES, "utf8")) ?? [];
  expect(script).not.toBe("");
  await run(script);
}

async function isMigrationWaiting(): Promise<boolean> {
  // Tables of other test databases have the same id.
  const waiting = await world.database.$queryRaw<unknown[]>`
    SELECT FROM pg_locks WHERE relation = 'impressions'::regclass AND mode = 'ShareLock' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  return waiting.length > 0;
}

async function differences(): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  for await (const inspection of wholeInspections(world.database, 15_000)) {
    comparisons.push(...(await inspection.read()).comparisons);
  }
  expect(comparisons.map(({ check }) => check)).toContain("row_game_advertiser_earnings");
  return comparisons.filter(({ expected, found }) => expected !== found);
}

beforeAll(async () => {
  world = await AnalyticsWorld.open();
  developer = await world.harness.caller();
  owners = [await world.harness.advertiser(1_000), await world.harness.advertiser(1_000)];
  for (const game of ["ash", "birch"]) {
    await developer
      .post(`/placements/${game}`, { creator_id: "studio", placement_types: ["narrative_hook"] })
      .expect(201);
  }
  for (const [nth, owner] of owners.entries()) {
    const campaign = await world.draft(owner);
    for (const daysAgo of [0, 2, 10]) {
      const seen = {
        ...campaign,
        developerAccountId: developer.accountId,
        recordedAtMs: NOON_MS - daysAgo * DAY_MS,
        priceMillicents: 300 + nth,
      };
      await world.see({ ...seen, gameId: "ash" }, { ...seen, gameId: "ash" }, { ...seen, gameId: "birch" });
    }
  }
});
afterAll(() => world.stop());

describe("the earnings of a database from before they had advertisers and days", () => {
  it("get both from the impressions; a day whose impressions were dropped keeps its sum", async () => {
    const { database } = world;
    const written = await readRows();
    expect(written).toHaveLength(12);
    expect(await dropDay(database, DROPPED_DAY, new AbortController().signal)).toEqual({
      outcome: "dropped",
      impressions: 6,
    });
    expect(await differences()).toEqual([]);
    await migrate();
    const unknown = (game_id: string, impressions: number) => ({
      day: DROPPED_DAY,
      game_id,
      advertiser_id: "",
      impressions,
      earned: impressions * (300 + 301) * 350,
    });
    expect(await readRows()).toEqual([
      unknown("ash", 4),
      unknown("birch", 2),
      ...written.filter(({ day }) => day !== DROPPED_DAY),
    ]);
    expect(await differences()).toEqual([]);
    const { body } = await developer
      .get(`/earnings/advertisers?from=${DROPPED_DAY}&to=${DROPPED_DAY}`)
      .expect(200);
    expect(body.total).toEqual({ impressions: 6, earned_microcents: 3 * (300 + 301) * 700 });
    expect(body.rows).toEqual([
      {
        advertiser_id: null,
        company_name: null,
        brand_names: [],
        ...body.total,
        total_earned_microcents: null,
      },
      ...[...owners.entries()].reverse().map(([nth, { advertiserId }]) => ({
        advertiser_id: advertiserId,
        company_name: "Ember",
        brand_names: ["Ember"],
        impressions: 0,
        earned_microcents: 0,
        total_earned_microcents: 9 * (300 + nth) * 700,
      })),
    ]);
    const table = await developer
      .get(`/earnings/advertisers?from=${DROPPED_DAY}&to=${DROPPED_DAY}`)
      .set("Accept", "text/csv")
      .expect(200);
    expect(table.text.split("\n")[1]).toBe(",,6,1.262100,");
  });

  it("include what billing writes meanwhile", async () => {
    const { database } = world;
    const before = await readRows();
    const { migrating } = await inTransaction(
      database,
      async (transaction) => {
        await transaction.$executeRaw`UPDATE impressions SET earning_microcents = earning_microcents + 1`;
        const migrating = migrate();
        await eventually(isMigrationWaiting);
        return { migrating };
      },
      { timeoutMs: 120_000 },
    );
    await migrating;
    expect(await readRows()).toEqual(
      before.map((row) => (row.day === DROPPED_DAY ? row : { ...row, earned: row.earned + row.impressions })),
    );
    await database.$executeRaw`UPDATE impressions SET earning_microcents = earning_microcents - 1`;
    await migrate();
    expect(await readRows()).toEqual(before);
  });

  it("are repaired after old billing wrote impressions without them", async () => {
    const { database } = world;
    const before = await readRows();
    await database.$executeRaw`DELETE FROM game_advertiser_rollups WHERE game_id = 'birch' AND advertiser_id <> ''`;
    await database.$executeRaw`UPDATE game_advertiser_rollups SET impressions = 1, earning_microcents = earning_microcents / 2
      WHERE game_id = 'ash' AND advertiser_id <> ''`;
    expect(await differences()).not.toEqual([]);
    await repair();
    expect(await readRows()).toEqual(before);
    expect(await differences()).toEqual([]);
  });

  it("are still compared where some have no advertiser", async () => {
    await world.database
      .$executeRaw`UPDATE game_advertiser_rollups SET earning_microcents = earning_microcents + 1
      WHERE advertiser_id = '' AND game_id = 'ash'`;
    expect((await differences()).map(({ check, subject }) => [check, subject])).toContainEqual([
      "row_game_advertiser_earnings",
      `${developer.accountId} ash dropped days anyone`,
    ]);
    await world.database
      .$executeRaw`UPDATE game_advertiser_rollups SET earning_microcents = earning_microcents - 1
      WHERE advertiser_id = '' AND game_id = 'ash'`;
  });
});
