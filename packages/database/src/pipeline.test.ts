import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createDatabase, type Database } from "./database.ts";
import { ConstraintViolation, DatabaseUnavailable, LockTimeout, UniqueViolation } from "./errors.ts";
import { Prisma } from "./generated/client.ts";
import { createPipeline, type Pipeline } from "./pipeline.ts";
import type { Statements } from "./transaction.ts";

let server: TestDatabase;
let database: Database;
let pipeline: Pipeline;

beforeAll(async () => {
  server = await createTestDatabase();
  database = createDatabase(server.url);
  pipeline = createPipeline(server.url);
});
afterAll(async () => {
  await Promise.all([pipeline.close(), database.$disconnect()]);
  await server.drop();
});

const account = (id: string) => Prisma.sql`INSERT INTO accounts (id, label) VALUES (${id}, 'test')`;
const orphan = Prisma.sql`INSERT INTO deposits (id, advertiser_id, amount_cents) VALUES ('dep', 'nobody', 1)`;
const deadlock = Prisma.sql`DO $$ BEGIN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01'; END $$`;
const count = (prefix: string) => database.account.count({ where: { id: { startsWith: prefix } } });

describe("createPipeline", () => {
  it("prepares each statement once per connection, also when it is sent again before its result", async () => {
    const preparing = createPipeline(server.url, { poolSize: 1, prepared: true });
    const ask = (n: number) => Prisma.sql`SELECT ${n}::int + 1 AS next`;
    try {
      const rows = await preparing.inTransaction((statements) =>
        Promise.all([1, 2].map((n) => statements.query<{ next: number }>(ask(n)))),
      );
      expect(rows).toEqual([[{ next: 2 }], [{ next: 3 }]]);
      // A failed statement does not count as prepared.
      const failed = preparing.inTransaction(async (statements) => {
        void statements.execute(orphan);
        await statements.query(Prisma.sql`SELECT 'behind' AS it`);
      });
      await expect(failed).rejects.toThrow(ConstraintViolation);
      expect(await preparing.query(Prisma.sql`SELECT 'behind' AS it`)).toEqual([{ it: "behind" }]);
      expect(await preparing.query(ask(3))).toEqual([{ next: 4 }]);
      const [prepared] = await preparing.query<{ count: number }>(Prisma.sql`
        SELECT count(*)::int AS count FROM pg_prepared_statements WHERE statement LIKE '%::int + 1 AS next%'
          AND statement NOT LIKE '%pg_prepared_statements%'`);
      expect(prepared?.count).toBe(1);
    } finally {
      await preparing.close();
    }
  });

  it("runs one statement, and rejects with the classes of errors.ts", async () => {
    expect(await pipeline.query(Prisma.sql`SELECT 1::bigint AS one`)).toEqual([{ one: 1n }]);
    await expect(pipeline.query(orphan)).rejects.toThrow(ConstraintViolation);
  });

  it("runs statements in the order in which they were called, and commits", async () => {
    const [touched, rows] = await pipeline.inTransaction((statements) =>
      Promise.all([
        statements.execute(account("acct_order")),
        statements.query<{ label: string; large: bigint }>(
          Prisma.sql`SELECT label, 9007199254740993::bigint AS large FROM accounts WHERE id = ${"acct_order"}`,
        ),
      ]),
    );
    expect(touched).toBe(1);
    expect(rows).toEqual([{ label: "test", large: 9_007_199_254_740_993n }]);
    expect(await count("acct_order")).toBe(1);
  });

  it("waits for the disk at each commit, except where the caller does without", async () => {
    const one = createPipeline(server.url, { poolSize: 1 });
    const synchronous = async (statements: Pick<Statements, "query">) =>
      (await statements.query(Prisma.sql`SELECT current_setting('synchronous_commit') AS commit`))[0];
    try {
      await one.query(Prisma.sql`SET synchronous_commit TO on`);
      expect(await one.inTransaction(synchronous, { asynchronousCommit: true })).toEqual({ commit: "off" });
      expect(await one.inTransaction(synchronous)).toEqual({ commit: "on" });
    } finally {
      await one.close();
    }
  });

  it("ends a wait for a lock after the limit that the caller sets", async () => {
    await database.account.create({ data: { id: "acct_locked", label: "test" } });
    await database.$transaction(
      async (transaction) => {
        await transaction.$queryRaw`SELECT id FROM accounts WHERE id = 'acct_locked' FOR UPDATE`;
        const locking = Prisma.sql`UPDATE accounts SET label = 'changed' WHERE id = 'acct_locked'`;
        const impatient = pipeline.inTransaction((statements) => statements.execute(locking), {
          lockTimeoutMs: 100,
        });
        await expect(impatient).rejects.toThrow(LockTimeout);
      },
      { timeout: 60_000 },
    );
  });

  it("leaves nothing behind when the work fails, and stays usable", async () => {
    const failed = pipeline.inTransaction(async (statements) => {
      void statements.execute(account("acct_failed_1"));
      await statements.execute(account("acct_failed_2"));
      throw new Error("no");
    });
    await expect(failed).rejects.toThrow("no");
    expect(await count("acct_failed")).toBe(0);
    await pipeline.inTransaction((statements) => statements.execute(account("acct_failed_not")));
    expect(await count("acct_failed")).toBe(1);
  });

  it.each<[string, (statements: Statements) => Promise<unknown>]>([
    ["the first that failed", (statements) => twice(statements, "acct_twice")],
    [
      "one that nobody waited for",
      async (statements) => {
        void twice(statements, "acct_ignored").catch(() => undefined);
      },
    ],
  ])("commits nothing after a failure: %s", async (_name, work) => {
    await expect(pipeline.inTransaction(work)).rejects.toThrow(UniqueViolation);
    expect(await count("acct_twice")).toBe(0);
    expect(await count("acct_ignored")).toBe(0);
  });

  it("rejects with the first failure, not with aborted statements after it", async () => {
    const refused = pipeline.inTransaction(async (statements) => {
      void statements.execute(orphan);
      await statements.execute(account("acct_behind"));
    });
    await expect(refused).rejects.toThrow(ConstraintViolation);
    expect(await count("acct_behind")).toBe(0);
    let attempts = 0;
    await pipeline.inTransaction(async (statements) => {
      attempts += 1;
      if (attempts === 1) void statements.execute(deadlock);
      await statements.execute(account("acct_behind"));
    });
    expect(attempts).toBe(2);
    expect(await count("acct_behind")).toBe(1);
  });

  it("rejects with the work's own error rather than that of a failed statement", async () => {
    const failed = pipeline.inTransaction(async (statements) => {
      await statements.execute(orphan).catch(() => undefined);
      throw new Error("known already");
    });
    await expect(failed).rejects.toThrow("known already");
  });

  it("distinguishes constraint violations from an unavailable database", async () => {
    const nowhere = createPipeline("postgres://nobody@127.0.0.1:1/nothing");
    const none = Prisma.sql`SELECT 1`;
    await expect(nowhere.inTransaction((statements) => statements.query(none))).rejects.toThrow(
      DatabaseUnavailable,
    );
    await nowhere.close();
    await expect(pipeline.inTransaction((statements) => statements.execute(orphan))).rejects.toMatchObject({
      constructor: ConstraintViolation,
      constraint: "deposits_advertiser_id_fkey",
    });
    const killed = pipeline.inTransaction(async (statements) => {
      await statements.execute(account("acct_killed"));
      const [session] = await statements.query<{ pid: number }>(Prisma.sql`SELECT pg_backend_pid() AS pid`);
      await database.$queryRaw`SELECT pg_terminate_backend(${session?.pid}::int)`;
      await statements.query(none);
    });
    await expect(killed).rejects.toThrow(DatabaseUnavailable);
    expect(await count("acct_killed")).toBe(0);
    expect(await pipeline.inTransaction((statements) => statements.query(none))).toHaveLength(1);
  });

  it("reports a Unix socket that is not there as an unavailable database", async () => {
    const url = "postgres://user:secret@/name?host=/nowhere";
    const nowhere = createPipeline(url);
    const models = createDatabase(url);
    await expect(nowhere.query(Prisma.sql`SELECT 1`)).rejects.toThrow(DatabaseUnavailable);
    await expect(models.$queryRaw`SELECT 1`).rejects.toThrow(DatabaseUnavailable);
    await Promise.all([nowhere.close(), models.$disconnect()]);
  });

  it.each(["25006", "25P03", "25P04"])("reports SQLSTATE %s as an unavailable database", async (state) => {
    const raised = Prisma.raw(`DO $$ BEGIN RAISE EXCEPTION 'ended' USING ERRCODE = '${state}'; END $$`);
    const failed = pipeline.inTransaction((statements) => statements.execute(raised));
    await expect(failed).rejects.toThrow(DatabaseUnavailable);
  });

  it("repeats the work after a deadlock", async () => {
    await database.account.createMany({ data: ["acct_a", "acct_b"].map((id) => ({ id, label: "test" })) });
    let meetings = 0;
    let bothHold = () => {};
    const met = new Promise<void>((resolve) => {
      bothHold = resolve;
    });
    const lockInOrder = (first: string, second: string) =>
      pipeline.inTransaction(async (statements) => {
        await statements.query(Prisma.sql`SELECT id FROM accounts WHERE id = ${first} FOR UPDATE`);
        meetings += 1;
        if (meetings === 2) bothHold();
        await met;
        await statements.execute(Prisma.sql`UPDATE accounts SET label = ${first} WHERE id = ${second}`);
      });
    await Promise.all([lockInOrder("acct_a", "acct_b"), lockInOrder("acct_b", "acct_a")]);
    expect(meetings).toBe(3);
  });
});

async function twice(statements: Statements, id: string): Promise<unknown> {
  return Promise.all([
    statements.execute(account(id)),
    statements.execute(account(id)),
    statements.execute(account(`${id}_after`)),
  ]);
}
