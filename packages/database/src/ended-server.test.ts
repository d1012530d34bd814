import { connect, createServer, type Socket } from "node:net";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { createDatabase, type Database } from "./database.ts";
import { DatabaseUnavailable } from "./errors.ts";
import { Prisma } from "./generated/client.ts";
import { createPipeline } from "./pipeline.ts";
import { createReader } from "./reader.ts";
import { inTransaction } from "./transaction.ts";

const NAME = "ended-server-test";

/** Uses the only connection of a pool, and closes it. */
interface User {
  /** Takes the connection out of the pool and runs a statement. */
  run(): Promise<unknown>;
  /** Releases the connection as soon as the result is read. Default: as `run` does. */
  runBefore?(): Promise<unknown>;
  close(): Promise<void>;
}

const one = Prisma.sql`SELECT 1`;

const users: [string, (url: string) => User][] = [
  [
    "transactions of the client for models",
    (url) => {
      const database = createDatabase(url, { poolSize: 1, applicationName: NAME });
      return {
        run: () => inTransaction(database, (transaction) => transaction.$queryRaw(one)),
        runBefore: () => database.$queryRaw(one),
        close: () => database.$disconnect(),
      };
    },
  ],
  [
    "statements of the client for models",
    (url) => {
      const database = createDatabase(url, { poolSize: 1, applicationName: NAME });
      return { run: () => database.$queryRaw(one), close: () => database.$disconnect() };
    },
  ],
  [
    "the pipeline",
    (url) => {
      const pipeline = createPipeline(url, { poolSize: 1, applicationName: NAME });
      return {
        run: () => pipeline.inTransaction((statements) => statements.query(one)),
        close: () => pipeline.close(),
      };
    },
  ],
  [
    "the reader",
    (url) => {
      const reader = createReader(url, { poolSize: 1, applicationName: NAME });
      return { run: () => reader.query(one), close: () => reader.close() };
    },
  ],
];

/** A proxy that can hold back the server's output, and then forwards it in one piece, including the end of the connection. */
class GatheringProxy {
  readonly #server = createServer((client) => this.#join(client));
  readonly #sockets = new Set<Socket>();
  #isGathering = false;
  #passOn: (() => void)[] = [];

  async start(target: URL): Promise<URL> {
    this.#target = target;
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the proxy has no port");
    const url = new URL(target);
    url.hostname = "127.0.0.1";
    url.port = String(address.port);
    return url;
  }
  #target = new URL("postgres://127.0.0.1");

  gather(): void {
    this.#isGathering = true;
  }

  passOn(): void {
    this.#isGathering = false;
    for (const pass of this.#passOn.splice(0)) pass();
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #join(client: Socket): void {
    const upstream = connect(Number(this.#target.port), this.#target.hostname);
    let held: Buffer[] = [];
    let hasEnded = false;
    const flush = () => {
      if (held.length > 0) client.write(Buffer.concat(held));
      held = [];
      if (hasEnded) client.end();
    };
    const say = () => {
      if (!this.#isGathering) flush();
      else if (!this.#passOn.includes(flush)) this.#passOn.push(flush);
    };
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
    }
    client.pipe(upstream);
    upstream.on("data", (chunk) => {
      held.push(chunk);
      say();
    });
    upstream.on("close", () => {
      hasEnded = true;
      say();
    });
  }
}

/** The server process of the connection under test, once it has answered a statement that began after `since`. */
async function answeredConnection(administrator: Database, since: string): Promise<number> {
  const [found] = await eventually(async () => {
    const rows = await administrator.$queryRaw<{ pid: number }[]>`
      SELECT pid FROM pg_stat_activity
      WHERE application_name = ${NAME} AND state LIKE 'idle%' AND query_start > ${since}::timestamptz`;
    return rows.length > 0 && rows;
  });
  return found?.pid ?? 0;
}

async function endConnection(administrator: Database, pid: number): Promise<void> {
  await administrator.$queryRaw`SELECT pg_terminate_backend(${pid}::int)`;
  await eventually(async () => {
    const rows = await administrator.$queryRaw<object[]>`SELECT 1 FROM pg_stat_activity WHERE pid = ${pid}`;
    return rows.length === 0;
  });
}

async function now(administrator: Database): Promise<string> {
  const [row] = await administrator.$queryRaw<{ now: string }[]>`SELECT clock_timestamp()::text AS now`;
  return row?.now ?? "";
}

describe.each(users)("a server that ends a connection of %s", (_what, open) => {
  let server: TestDatabase;
  let administrator: Database;
  let proxy: GatheringProxy;
  let user: User;
  let uncaught: unknown[];
  const note = (error: unknown) => uncaught.push(error);

  beforeAll(async () => {
    server = await createTestDatabase();
    administrator = createDatabase(server.url);
  });
  afterAll(async () => {
    await administrator.$disconnect();
    await server.drop();
  });

  beforeEach(async () => {
    proxy = new GatheringProxy();
    user = open((await proxy.start(new URL(server.url))).href);
    uncaught = [];
    process.on("uncaughtException", note);
  });
  afterEach(async () => {
    proxy.passOn();
    await user.close();
    await proxy.stop();
    process.off("uncaughtException", note);
  });

  /** Uses the connection, ends it, and delivers all output of the server to the client in one piece. */
  async function endBehindAnswer(): Promise<void> {
    const since = await now(administrator);
    proxy.gather();
    const first = user.runBefore ?? user.run;
    const outcome = (answer: Promise<unknown>) =>
      answer.then(
        () => undefined,
        (error: unknown) => error,
      );
    const all = [outcome(first())];
    const pid = await answeredConnection(administrator, since);
    // From here on, these callers wait for the connection.
    all.push(outcome(user.run()), outcome(user.run()));
    await endConnection(administrator, pid);
    proxy.passOn();
    const failures = (await Promise.all(all)).filter((error) => error !== undefined);
    for (const failure of failures) expect(failure).toBeInstanceOf(DatabaseUnavailable);
    await eventually(() =>
      user.run().then(
        () => true,
        () => false,
      ),
    );
  }

  it("ends no process when its end arrives together with the result of a statement", async () => {
    await user.run();
    await endBehindAnswer();
    expect(uncaught).toEqual([]);
  });
});
