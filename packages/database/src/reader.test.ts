import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createDatabase, type Database } from "./database.ts";
import { ConstraintViolation, DatabaseUnavailable } from "./errors.ts";
import { Prisma } from "./generated/client.ts";
import { createReader, type Reader } from "./reader.ts";

let server: TestDatabase;
let database: Database;
let reader: Reader;

beforeAll(async () => {
  server = await createTestDatabase();
  database = createDatabase(server.url);
  reader = createReader(server.url, { poolSize: 1, applicationName: "reader-test" });
});
afterAll(async () => {
  await Promise.all([reader.close(), database.$disconnect()]);
  await server.drop();
});

describe("createReader", () => {
  it("returns rows with exact numbers, and prepares statements once", async () => {
    const ask = (n: bigint) =>
      reader.query<{ large: bigint; day: string }>(
        Prisma.sql`SELECT ${n}::bigint AS large, to_char(${"2026-11-21"}::date, 'YYYY-MM-DD') AS day`,
      );
    expect(await ask(9_007_199_254_740_993n)).toEqual([{ large: 9_007_199_254_740_993n, day: "2026-11-21" }]);
    expect(await ask(1n)).toEqual([{ large: 1n, day: "2026-11-21" }]);
    const [prepared] = await reader.query<{ count: bigint }>(
      Prisma.sql`SELECT count(*) AS count FROM pg_prepared_statements WHERE statement LIKE '%AS large%' AND NOT from_sql`,
    );
    expect(prepared?.count).toBe(2n); // That one, and the one which counts.
  });

  it("rejects with the classes of errors.ts, and stays usable", async () => {
    await expect(reader.query(Prisma.sql`SELECT ${"x"}::int`)).rejects.toThrow(ConstraintViolation);
    expect(await reader.query(Prisma.sql`SELECT 1 AS one`)).toEqual([{ one: 1 }]);
  });

  it("continues after the server has ended its connection", async () => {
    const alive = Prisma.sql`SELECT 'alive' AS it`;
    await reader.query(alive);
    await database.$queryRaw`SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE application_name = 'reader-test'`;
    const again = await reader.query(alive).catch((error: unknown) => error);
    if (again instanceof Error) expect(again).toBeInstanceOf(DatabaseUnavailable);
    expect(await reader.query(alive)).toEqual([{ it: "alive" }]);
  });

  it("reports an unavailable server", async () => {
    const nobody = createReader("postgres://nobody@127.0.0.1:9/none");
    await expect(nobody.query(Prisma.sql`SELECT 1`)).rejects.toThrow(DatabaseUnavailable);
    await nobody.close();
  });
});
