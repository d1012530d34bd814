import { readFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import { createTestCertificate } from "@diegetic/testing/certificate";
import { createTestDatabase } from "@diegetic/testing/database";
import { startTestRedis } from "@diegetic/testing/redis";
import { startRewritingProxy } from "@diegetic/testing/rewriting-proxy";
import { afterEach, describe, expect, it } from "@jest/globals";
import { createDatabase } from "./database.ts";
import { DatabaseUnavailable, DatabaseUnusable } from "./errors.ts";
import { Prisma } from "./generated/client.ts";
import { migrate } from "./migrate.ts";
import { createPipeline } from "./pipeline.ts";
import { createReader } from "./reader.ts";
import { inTransaction } from "./transaction.ts";
import { translateError } from "./translate-error.ts";
import { unusableDatabase } from "./unusable-database.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

describe("a database that an operator sets", () => {
  it("says before it is migrated what the user lacks", async () => {
    const database = await createTestDatabase();
    const admin = createDatabase(database.url, { poolSize: 1 });
    const role = `role_${new URL(database.url).pathname.slice(1)}`;
    closers.push(async () => {
      await admin.$executeRawUnsafe(`DROP OWNED BY ${role}`);
      await admin.$executeRawUnsafe(`DROP ROLE ${role}`);
      await admin.$disconnect();
      await database.drop();
    });
    for (const sql of [
      "DROP SCHEMA public CASCADE",
      "CREATE SCHEMA public",
      `CREATE ROLE ${role} LOGIN PASSWORD 'secret'`,
      `GRANT USAGE ON SCHEMA public TO ${role}`,
    ]) {
      await admin.$executeRawUnsafe(sql);
    }
    const url = Object.assign(new URL(database.url), { username: role, password: "secret" }).href;
    const migrating = () => expect(migrate(url)).rejects;
    await migrating().toThrow("The user of DATABASE_URL may not create tables");
    await migrating().toThrow(DatabaseUnusable);
    await admin.$executeRawUnsafe(`GRANT CREATE ON SCHEMA public TO ${role}`);
    await admin.$executeRawUnsafe(`CREATE SCHEMA other AUTHORIZATION ${role}`);
    await admin.$executeRawUnsafe(`ALTER ROLE ${role} SET search_path TO other`);
    await migrating().toThrow("would be in the schema other: set its search_path to public");
    await admin.$executeRawUnsafe(`ALTER ROLE ${role} RESET search_path`);
    for (const [setting, value] of [
      ["array_nulls", "off"],
      ["default_transaction_isolation", "serializable"],
    ] as const) {
      await admin.$executeRawUnsafe(`ALTER ROLE ${role} SET ${setting} = '${value}'`);
      await migrating().toThrow(`${setting} is ${value} in sessions of the user of DATABASE_URL`);
      await admin.$executeRawUnsafe(`ALTER ROLE ${role} RESET ${setting}`);
    }
    expect(await migrate(url)).not.toEqual([]);
    await admin.$executeRawUnsafe(`ALTER ROLE ${role} SET array_nulls = off`);
    await migrating().toThrow("array_nulls is off");
    await admin.$executeRawUnsafe(`ALTER ROLE ${role} CONNECTION LIMIT 0`);
    expect(await unusableDatabase(url)).toMatch(
      /^Postgres takes no further connection \(.*\): raise .* limit of its user or database/,
    );
  });

  it("is usable with the right password and name", async () => {
    const database = await createTestDatabase();
    closers.push(() => database.drop());
    expect(await unusableDatabase(database.url)).toBeUndefined();
    const other = new URL(database.url);
    other.pathname = "/nothing_of_this_name";
    expect(await unusableDatabase(other.href)).toContain("no database of the name in DATABASE_URL");
  });

  it("is unusable and not migrated on a server that is too old, and the sentence says which one is needed", async () => {
    const database = await createTestDatabase();
    const url = new URL(database.url);
    const old = await startRewritingProxy(Number(url.port), { from: /\b\d\d\.(?=\d)/, to: "14." });
    closers.push(
      () => database.drop(),
      () => old.stop(),
    );
    url.port = String(old.port);
    const sentence = /^Postgres at DATABASE_URL has version 14\.\d+: upgrade it to 15 or later\.$/;
    expect(await unusableDatabase(url.href)).toMatch(sentence);
    const failure = await migrate(url.href).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DatabaseUnusable);
    expect((failure as Error).message).toMatch(sentence);
  });

  it("is unreachable where no server listens, without naming the password", async () => {
    const sentence = await unusableDatabase("postgres://user:secret@127.0.0.1:1/x");
    expect(sentence).toMatch(/^Postgres is not reached at DATABASE_URL \(.*ECONNREFUSED/);
    expect(sentence).not.toContain("secret");
  });

  it("is unusable at the address of a Redis or of a silent server", async () => {
    const redis = await startTestRedis();
    const server = createServer((socket) => socket.on("error", () => undefined));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closers.push(
      () => redis.stop(),
      () => server.close(),
    );
    const silent = `postgres://127.0.0.1:${(server.address() as AddressInfo).port}/x`;
    const urls = [redis.url.replace("redis:", "postgres:"), silent];
    for (const sentence of await Promise.all(urls.map(unusableDatabase))) {
      expect(sentence).toMatch(/ DATABASE_URL .*: (correct the address|see that it runs)/);
    }
  });

  it.each([
    ["of a certificate is missing", "sslrootcert=/nowhere/ca.pem", /\/nowhere\/ca\.pem .* \(ENOENT\)/],
    ["of a key is a directory", `sslkey=${import.meta.dirname}`, /^A file .* DATABASE_URL .* \(EISDIR\)/],
  ])("is unusable while the file %s, and the sentence says so", async (_name, parameter, sentence) => {
    const url = `postgres://user:secret@127.0.0.1:1/x?${parameter}`;
    await expectUnusable(url, sentence);
  });

  it("is unusable while nobody trusts its certificate, and the sentence says what to do", async () => {
    const files = await createTestCertificate();
    closers.push(files.remove);
    const [cert, key] = await Promise.all([readFile(files.certificate), readFile(files.key)]);
    const secureContext = createSecureContext({ cert, key });
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      // As Postgres takes the request for TLS.
      socket.once("data", () => {
        socket.write("S");
        new TLSSocket(socket, { isServer: true, secureContext }).on("error", () => undefined);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closers.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    await expectUnusable(
      `postgres://user:secret@127.0.0.1:${port}/x?sslmode=verify-full`,
      /^The certificate of Postgres is not trusted \((DEPTH_ZERO_SELF_SIGNED_CERT|self-signed certificate)\): .* NODE_EXTRA_CA_CERTS/,
    );
  });

  it.each([
    ["N", "The server does not support SSL connections"],
    ["E", "There was an error establishing an SSL connection"],
  ])(
    "is not reached by TLS where it answers %s to the request for it, and the sentence says so",
    async (answer, why) => {
      const server = createServer((socket) => {
        socket.on("error", () => undefined);
        socket.once("data", () => socket.write(answer));
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      closers.push(() => server.close());
      const { port } = server.address() as AddressInfo;
      const url = `postgres://user:secret@127.0.0.1:${port}/x?sslmode=require`;
      const sentence = `Postgres is not reached at DATABASE_URL (${why})`;
      expect(await unusableDatabase(url)).toContain(sentence);
      const failure = await migrate(url).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(DatabaseUnavailable);
      expect((failure as Error).message).toContain(sentence);
    },
  );

  async function expectUnusable(url: string, sentence: RegExp): Promise<void> {
    expect(await unusableDatabase(url)).toMatch(sentence);
    const [database, pipeline, reader] = [createDatabase(url), createPipeline(url), createReader(url)];
    closers.push(
      () => database.$disconnect(),
      () => pipeline.close(),
      () => reader.close(),
    );
    const calls = [
      database.$queryRaw`SELECT 1`,
      database.account.count(),
      inTransaction(database, (transaction) => transaction.account.count()),
      pipeline.query(Prisma.sql`SELECT 1`),
      pipeline.inTransaction((statements) => statements.query(Prisma.sql`SELECT 1`)),
      reader.query(Prisma.sql`SELECT 1`),
      migrate(url),
    ].map((call) => call.catch((error: unknown) => error));
    for (const error of await Promise.all(calls)) {
      expect(error).toBeInstanceOf(DatabaseUnusable);
      expect((error as Error).message).toMatch(sentence);
      expect((error as Error).message).not.toContain("secret");
    }
  }

  it("names the socket that is missing while its server does not run, or that may not be opened", async () => {
    expect(await unusableDatabase("postgres://user@/x?host=/nowhere")).toMatch(
      /^Postgres is not reached at DATABASE_URL \(connect ENOENT \/nowhere\/\.s\.PGSQL\.5432\): see that it runs/,
    );
    // Root may open every socket.
    const refused = Object.assign(new Error("connect EACCES /nowhere/.s.PGSQL.5432"), { code: "EACCES" });
    const translated = translateError(refused);
    expect(translated).toBeInstanceOf(DatabaseUnusable);
    expect((translated as Error).message).toMatch(/\/nowhere\/\.s\.PGSQL\.5432 .* permission/);
  });
});
