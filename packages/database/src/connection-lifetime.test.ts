import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, beforeAll, it } from "@jest/globals";
import { createDatabase } from "./database.ts";
import { Prisma } from "./generated/client.ts";
import { createPipeline } from "./pipeline.ts";
import { createReader } from "./reader.ts";

/** Reads on the only connection of a pool, and closes it. */
interface Reading {
  read(): Promise<{ pid: number }[]>;
  close(): Promise<void>;
}

const options = { poolSize: 1, maxLifetimeSeconds: 1 };
const pid = Prisma.sql`SELECT pg_backend_pid() AS pid`;
const readings: [string, (url: string) => Reading][] = [
  [
    "the client for models",
    (url) => {
      const database = createDatabase(url, options);
      return { read: () => database.$queryRaw(pid), close: () => database.$disconnect() };
    },
  ],
  [
    "the pipeline",
    (url) => {
      const pipeline = createPipeline(url, options);
      return { read: () => pipeline.query(pid), close: () => pipeline.close() };
    },
  ],
  [
    "the reader",
    (url) => {
      const reader = createReader(url, options);
      return { read: () => reader.query(pid), close: () => reader.close() };
    },
  ],
];

let server: TestDatabase;

beforeAll(async () => {
  server = await createTestDatabase();
});
afterAll(() => server.drop());

it.each(readings)("a connection of %s that only reads is replaced", async (_what, open) => {
  const { read, close } = open(server.url);
  try {
    const [first] = await read();
    await eventually(async () => (await read())[0]?.pid !== first?.pid);
  } finally {
    await close();
  }
});
