import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createDatabase, type Database, type Transaction } from "./database.ts";
import {
  ConstraintViolation,
  DatabaseUnavailable,
  RecordMissing,
  StatementTimeout,
  TransactionConflict,
  UniqueViolation,
} from "./errors.ts";
import { Prisma } from "./generated/client.ts";
import { safeInteger } from "./integers.ts";
import { migrate } from "./migrate.ts";
import { createPipeline } from "./pipeline.ts";
import { createReader } from "./reader.ts";
import { inTransaction, withStatements } from "./transaction.ts";

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await createTestDatabase();
  database = createDatabase(server.url, { poolSize: 3, statementTimeoutMs: 3_000 });
});
afterAll(async () => {
  await database.$disconnect();
  await server.drop();
});

const account = (id: string) => ({ id, label: "test" });

describe("times", () => {
  it("are the same in models and in SQL, whatever the server's time zone and style of dates", async () => {
    const name = new URL(server.url).pathname.slice(1);
    await database.$executeRawUnsafe(`ALTER DATABASE "${name}" SET DateStyle TO 'SQL, DMY'`);
    const styled = createDatabase(server.url, { poolSize: 1 });
    const reader = createReader(server.url, { poolSize: 1 });
    const pipeline = createPipeline(server.url, { poolSize: 1 });
    const createdAt = new Date("2026-03-01T20:00:00.000Z");
    await database.account.create({ data: { ...account("acct_dated"), createdAt } });
    const sql = Prisma.sql`
      SELECT created_at, (created_at AT TIME ZONE 'UTC')::date::text AS day,
        current_setting('TimeZone') AS zone, created_at = ${createdAt} AS "isEqual"
      FROM accounts WHERE id = 'acct_dated'`;
    const expected = [{ created_at: createdAt, day: "2026-03-01", zone: "UTC", isEqual: true }];
    expect(await styled.$queryRaw(sql)).toEqual(expected);
    expect(await reader.query(sql)).toEqual(expected);
    expect(await pipeline.query(sql)).toEqual(expected);
    await styled.$disconnect();
    await reader.close();
    await pipeline.close();
  });
});

describe("errors", () => {
  it("have the same classes from models and from SQL", async () => {
    await database.account.create({ data: account("acct_twice") });
    const again = { constraint: "accounts_pkey" };
    const raw = database.$executeRaw`INSERT INTO accounts (id, label) VALUES ('acct_twice', 'x')`;
    await expect(database.account.create({ data: account("acct_twice") })).rejects.toMatchObject(again);
    await expect(database.account.create({ data: account("acct_twice") })).rejects.toThrow(UniqueViolation);
    await expect(raw).rejects.toThrow(UniqueViolation);
    const orphan = { id: "dep_1", advertiserId: "nobody", amountCents: 1 };
    await expect(database.deposit.create({ data: orphan })).rejects.toThrow(ConstraintViolation);
    await expect(database.account.update({ where: { id: "nobody" }, data: { label: "x" } })).rejects.toThrow(
      RecordMissing,
    );
  });

  it("report an unavailable database: unreachable, too slow, or ended during a call", async () => {
    const nowhere = createDatabase("postgres://x@127.0.0.1:1/x");
    await expect(nowhere.account.findMany()).rejects.toThrow(DatabaseUnavailable);
    await expect(inTransaction(nowhere, (tx) => tx.account.findMany())).rejects.toThrow(DatabaseUnavailable);
    await expect(database.$queryRaw`SELECT pg_sleep(60)::text`).rejects.toThrow(StatementTimeout);
    const slow = async (tx: Transaction) => {
      for (let count = 0; count < 3; count++) await tx.$queryRaw`SELECT pg_sleep(0.2)::text`;
    };
    await expect(inTransaction(database, slow, { timeoutMs: 300 })).rejects.toThrow(StatementTimeout);
    const killed = inTransaction(database, async (tx) => {
      await tx.account.create({ data: account("acct_killed") });
      const [session] = await tx.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
      await database.$queryRaw`SELECT pg_terminate_backend(${session?.pid}::int)`;
      await tx.account.findMany();
    });
    await expect(killed).rejects.toThrow(DatabaseUnavailable);
    expect(await database.account.findUnique({ where: { id: "acct_killed" } })).toBeNull();
  });
});

describe("a database that cannot be used", () => {
  it.each([
    ["postgres://x@127.0.0.1:1/x", /^Postgres is not reached at DATABASE_URL \(.+\): see that it runs/],
    ["another password", /^Postgres refuses the user or the password of DATABASE_URL/],
    ["another database", /^Postgres has no database of the name in DATABASE_URL/],
  ])("is described in one sentence without its password: %s", async (kind, sentence) => {
    const url = new URL(kind.startsWith("another") ? server.url : kind);
    if (kind === "another password") url.password = "secret-word";
    if (kind === "another database") url.pathname = "/nowhere";
    const stranger = createDatabase(url.href, { poolSize: 1 });
    const pipeline = createPipeline(url.href);
    const attempts = [
      () => stranger.account.findMany(),
      () => stranger.$queryRaw`SELECT 1`,
      () => pipeline.inTransaction(({ query }) => query(Prisma.sql`SELECT 1`)),
      () => migrate(url.href),
    ];
    for (const attempt of attempts) {
      const error = await attempt().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(DatabaseUnavailable);
      expect((error as DatabaseUnavailable).message).toMatch(sentence);
      expect((error as DatabaseUnavailable).message).not.toMatch(/\n|secret-word/);
    }
    await Promise.all([stranger.$disconnect(), pipeline.close()]);
  });
});

describe("inTransaction", () => {
  it("rolls back when the work fails", async () => {
    const failed = inTransaction(database, async (tx) => {
      await tx.account.create({ data: account("acct_failed") });
      throw new Error("no");
    });
    await expect(failed).rejects.toThrow("no");
    expect(await database.account.findUnique({ where: { id: "acct_failed" } })).toBeNull();
  });

  it("repeats the work after a deadlock", async () => {
    await database.account.createMany({ data: [account("acct_a"), account("acct_b")] });
    // Postgres detects deadlocks after a second, which exceeds the statement time limit of the other tests.
    const patient = createDatabase(server.url);
    let meetings = 0;
    let bothHold = () => {};
    const met = new Promise<void>((resolve) => {
      bothHold = resolve;
    });
    const lockInOrder = (first: string, second: string) =>
      inTransaction(patient, async (tx) => {
        await tx.$queryRaw`SELECT id FROM accounts WHERE id = ${first} FOR UPDATE`;
        meetings += 1;
        if (meetings === 2) bothHold();
        await met;
        await tx.account.update({ where: { id: second }, data: { label: `after ${first}` } });
      });
    await Promise.all([lockInOrder("acct_a", "acct_b"), lockInOrder("acct_b", "acct_a")]);
    await patient.$disconnect();
    expect(meetings).toBe(3);
    const labels = await database.account.findMany({ where: { id: { in: ["acct_a", "acct_b"] } } });
    expect(labels.map(({ label }) => label).sort()).toEqual(["after acct_a", "after acct_b"]);
  });

  it("gives up after a bounded number of attempts", async () => {
    let runs = 0;
    const hopeless = inTransaction(database, async (tx) => {
      runs += 1;
      await tx.$executeRaw`DO $$ BEGIN RAISE EXCEPTION 'x' USING errcode = '40001'; END $$`;
    });
    await expect(hopeless).rejects.toThrow(TransactionConflict);
    expect(runs).toBe(5);
  });
});

describe("withStatements", () => {
  const insert = (id: string) => Prisma.sql`INSERT INTO accounts (id, label) VALUES (${id}, 'test')`;
  const find = (id: string) => database.account.findUnique({ where: { id } });

  it("runs statements in order in the same transaction, also those that are not awaited", async () => {
    const count = await inTransaction(database, (transaction) =>
      withStatements(transaction, async (statements) => {
        void statements.execute(insert("acct_statement"));
        const [row] = await statements.query<{ count: bigint }>(
          Prisma.sql`SELECT count(*) AS count FROM accounts WHERE id = 'acct_statement'`,
        );
        void statements.execute(Prisma.sql`UPDATE accounts SET label = 'last' WHERE id = 'acct_statement'`);
        return row?.count;
      }),
    );
    expect(count).toBe(1n);
    expect(await find("acct_statement")).toMatchObject({ label: "last" });
  });

  it("fails with a statement that is not awaited", async () => {
    const twice = inTransaction(database, (transaction) =>
      withStatements(transaction, async (statements) => {
        void statements.execute(insert("acct_statement_twice"));
        void statements.execute(insert("acct_statement_twice"));
      }),
    );
    await expect(twice).rejects.toThrow(UniqueViolation);
    expect(await find("acct_statement_twice")).toBeNull();
  });
});

describe("safeInteger", () => {
  it("is exact or fails", () => {
    expect(safeInteger(9_007_199_254_740_991n, "x")).toBe(Number.MAX_SAFE_INTEGER);
    expect(() => safeInteger(9_007_199_254_740_992n, "x")).toThrow(RangeError);
  });
});
