import type { Database, Transaction } from "./database.ts";

/**
 * The time of Postgres, Unix milliseconds: for what cannot be taken back, such as an announcement or a deletion. The clock
 * of a process may be wrong for a while.
 */
export async function databaseNowMs(database: Database | Transaction): Promise<number> {
  const [row] = await database.$queryRaw<[{ nowMs: number }]>`
    SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"`;
  return row.nowMs;
}
