import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { createDatabase, type Database } from "./database.ts";
import { DatabaseUnavailable } from "./errors.ts";
import { Prisma } from "./generated/client.ts";
import { createPipeline } from "./pipeline.ts";
import { createReader } from "./reader.ts";
import { inTransaction } from "./transaction.ts";

/** Writes on the only connection of a pool, and closes it. */
interface Writer {
  write(): Promise<unknown>;
  close(): Promise<void>;
}

const options = { poolSize: 1 };
const renamed = Prisma.sql`UPDATE accounts SET label = 'renamed'`;
const writers: [string, (url: string) => Writer][] = [
  [
    "transactions of the client for models",
    (url) => {
      const database = createDatabase(url, options);
      const write = () => inTransaction(database, (transaction) => transaction.$executeRaw(renamed));
      return { write, close: () => database.$disconnect() };
    },
  ],
  [
    "statements of the client for models",
    (url) => {
      const database = createDatabase(url, options);
      return { write: () => database.$executeRaw(renamed), close: () => database.$disconnect() };
    },
  ],
  [
    "transactions of the pipeline",
    (url) => {
      const pipeline = createPipeline(url, options);
      const write = () => pipeline.inTransaction((statements) => statements.execute(renamed));
      return { write, close: () => pipeline.close() };
    },
  ],
  [
    "statements of the pipeline",
    (url) => {
      const pipeline = createPipeline(url, options);
      return { write: () => pipeline.query(renamed), close: () => pipeline.close() };
    },
  ],
  [
    "the reader",
    (url) => {
      const reader = createReader(url, options);
      return { write: () => reader.query(renamed), close: () => reader.close() };
    },
  ],
];

let server: TestDatabase;
let administrator: Database;
let name: string;

beforeAll(async () => {
  server = await createTestDatabase();
  administrator = createDatabase(server.url);
  name = new URL(server.url).pathname.slice(1);
});
afterAll(async () => {
  await administrator.$disconnect();
  await server.drop();
});

/** Of connections that are opened from now on. */
async function becomeReadOnly(isReadOnly: boolean): Promise<void> {
  const value = isReadOnly ? "on" : "off";
  await administrator.$executeRawUnsafe(
    `ALTER DATABASE "${name}" SET default_transaction_read_only TO ${value}`,
  );
}

it.each(writers)("a connection of %s to a read-only server is replaced", async (_what, open) => {
  const { write, close } = open(server.url);
  await becomeReadOnly(true);
  try {
    await expect(write()).rejects.toThrow(DatabaseUnavailable);
    await expect(write()).rejects.toThrow("Postgres at DATABASE_URL only allows reads");
    await becomeReadOnly(false);
    // On a third connection: each failed write ended its own.
    await write();
  } finally {
    await becomeReadOnly(false);
    await close();
  }
});
