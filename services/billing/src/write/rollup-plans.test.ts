import { newId } from "@diegetic/contracts";
import { createDatabase, createPipeline, type Database } from "@diegetic/database";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { recordIn } from "../testing/market.fixture.ts";
import { billImpression } from "./billed-impression.ts";
import { groupsOf } from "./groups.ts";
import { sumUp } from "./rollup-deltas.ts";
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
  const nowMs = Date.now();
  const market = {
    campaigns: Array.from({ length: CAMPAIGNS }, () => ({
      advertiserId: newId("adv"),
      campaignId: newId("camp"),
      creativeIds: [newId("crt"), newId("crt")] as [string, string],
      affinityIds: [newId("aff"), newId("aff")] as [string, string],
    })),
    games: [{ gameId: "game", accountId: newId("acct") }],
  };
  const impressions = market.campaigns.map((_, campaign) =>
    billImpression(recordIn(market, { campaign, recordedAtMs: nowMs }), nowMs),
  );
  const deltas = sumUp(impressions, groupsOf(impressions));
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
