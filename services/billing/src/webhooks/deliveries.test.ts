import { createDatabase, type Database, inTransaction } from "@diegetic/database";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { oldestDueSeconds, takeDueDeliveries } from "./deliveries.ts";

const DELIVERIES = 3_000;

let server: TestDatabase;
let database: Database;
beforeEach(async () => {
  server = await createTestDatabase();
  database = createDatabase(server.url);
});
afterEach(async () => {
  await database.$disconnect();
  await server.drop();
});

/** Adds deliveries of a webhook of an account of the same name, due in `seconds` and later. */
async function addPending(webhookId: string, seconds: number): Promise<void> {
  await database.$executeRaw`
    INSERT INTO webhook_deliveries (id, event_id, webhook_id, account_id, next_attempt_at, queue_at)
    SELECT webhook_row_id('whd'), 'evt', ${webhookId}, ${webhookId}, due_at, due_at
    FROM (SELECT now() + (${seconds}::int + n * 0.001) * interval '1 second' AS due_at
      FROM generate_series(1, ${DELIVERIES}::int) AS n) AS wanted`;
}

/** Rows of deliveries that were read until the end of `work`, including those of earlier calls. */
async function countRead(work: (database: Database) => Promise<void>): Promise<number> {
  const own = createDatabase(server.url, { poolSize: 1 });
  await work(own);
  await own.$executeRaw`SELECT pg_stat_force_next_flush()`;
  const [row] = await own.$queryRaw<[{ read: bigint }]>`
    SELECT seq_tup_read + (SELECT sum(idx_tup_read)::bigint
      FROM pg_stat_user_indexes WHERE relname = 'webhook_deliveries') AS read
    FROM pg_stat_user_tables WHERE relname = 'webhook_deliveries'`;
  await own.$disconnect();
  return Number(row.read);
}

it("reads each delivery once to find the oldest due one, however many are due", async () => {
  await addPending("whk_due", -100);
  await addPending("whk_later", 1_000);
  await database.$executeRaw`ANALYZE webhook_deliveries`;
  const before = await countRead(async () => {});
  const after = await countRead((own) =>
    inTransaction(own, async (transaction) => {
      // As if there were far more deliveries.
      await transaction.$executeRaw`SET LOCAL work_mem = '64kB'`;
      await transaction.$executeRaw`SET LOCAL hash_mem_multiplier = 1`;
      expect(await oldestDueSeconds(transaction)).toBeGreaterThan(99);
    }),
  );
  expect(after - before).toBeLessThan(10 * DELIVERIES);
});

it("leaves out of the oldest due delivery those that wait behind queued ones of their account", async () => {
  const add = (accountId: string, waitedSeconds: number, isQueued = false) =>
    database.$executeRaw`
      INSERT INTO webhook_deliveries (id, event_id, webhook_id, account_id, next_attempt_at, queue_at)
      SELECT webhook_row_id('whd'), 'evt', 'whk', ${accountId}, due_at,
        CASE WHEN ${isQueued} THEN now() + interval '1 minute' ELSE due_at END
      FROM (SELECT now() - ${waitedSeconds}::int * interval '1 second' AS due_at) AS wanted`;
  expect(await oldestDueSeconds(database)).toBeNull();
  await add("acct_later", -3_000);
  expect(await oldestDueSeconds(database)).toBeNull();
  await add("acct_busy", 4_000);
  await add("acct_busy", 2_000, true);
  await add("acct_free", 1_000);
  const seconds = await oldestDueSeconds(database);
  expect(seconds).toBeGreaterThanOrEqual(2_000);
  expect(seconds).toBeLessThan(3_000);
  await database.webhookDelivery.deleteMany({ where: { accountId: "acct_busy" } });
  expect(await oldestDueSeconds(database)).toBeLessThan(2_000);
});

it("takes what is due without reading all that is due, or that waits for its next attempt", async () => {
  await addPending("whk_due", -100);
  await addPending("whk_later", 1_000);
  await database.$executeRaw`ANALYZE webhook_deliveries`;
  const before = await countRead(async () => {});
  const after = await countRead(async (own) => {
    expect(await takeDueDeliveries(own, 8, 60_000)).toHaveLength(8);
    // Its account has no more room in the queue.
    expect(await takeDueDeliveries(own, 8, 60_000)).toEqual([]);
  });
  expect(after - before).toBeLessThan(DELIVERIES / 10);
});
