import { createDatabase, createPipeline, type Database } from "@diegetic/database";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { campaignRollupsStatement, LOOK_UP_BY_KEY } from "./statements.ts";

const CAMPAIGNS = 450;
const BATCHES = 8;

let server: TestDatabase;
let database: Database;
beforeAll(async () => {
  server = await createTestDatabase();
  database = createDatabase(server.url);
});
afterAll(async () => {
  await database.$disconnect();
  await server.drop();
});

/** Batches of the same campaigns and day, in a table that was never analysed. */
async function writeBatches(): Promise<void> {
  const deltas = Array.from({ length: CAMPAIGNS }, (_, number) => ({
    campaignId: `camp_${String(number).padStart(26, "0")}`,
    day: "2026-11-26",
    impressions: 1,
    spentMillicents: 1,
    affinityScoreSum: "0",
  }));
  const statement = campaignRollupsStatement(deltas)(new Int32Array(CAMPAIGNS));
  const pipeline = createPipeline(server.url, { poolSize: 1 });
  for (let batch = 0; batch < BATCHES; batch += 1) {
    await pipeline.inTransaction(async (inner) => {
      await inner.query(LOOK_UP_BY_KEY);
      await inner.query(statement);
    });
  }
  // A backend reports its last statistics when it ends.
  await pipeline.close();
}

it("reads few rows for each campaign's day that it writes", async () => {
  await writeBatches();
  const [rows] = await database.$queryRaw<{ written: bigint; read: bigint }[]>`
    SELECT n_tup_ins + n_tup_upd AS written, seq_tup_read + (SELECT sum(idx_tup_read)::bigint
      FROM pg_stat_user_indexes WHERE relname = 'campaign_rollups') AS read
    FROM pg_stat_user_tables WHERE relname = 'campaign_rollups'`;
  expect(rows?.written).toBe(BigInt(CAMPAIGNS * BATCHES));
  expect(Number(rows?.read)).toBeLessThan(10 * CAMPAIGNS * BATCHES);
});
