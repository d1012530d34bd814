import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { startTestRedis, type TestRedis } from "@diegetic/testing/redis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { lockDataDirectory } from "./data-directory/lock.ts";
import { writeStackFile } from "./data-directory/stack-file.ts";
import { expectUsable, findStores, readNamedStores } from "./stores.ts";

describe("stores that the operator sets", () => {
  const server = createServer((socket) => socket.destroy());
  let database: TestDatabase;
  let redis: TestRedis;
  let other = "";
  beforeAll(async () => {
    [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    other = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.close();
    await Promise.all([database.drop(), redis.stop()]);
  });

  it("are used when they are usable, both or one", async () => {
    await expectUsable({ databaseUrl: database.url, redisUrl: redis.url });
    await expectUsable({ databaseUrl: database.url, redisUrl: undefined });
    await expectUsable({ databaseUrl: undefined, redisUrl: redis.url });
    await expectUsable({ databaseUrl: undefined, redisUrl: undefined });
  });

  it("are named in one sentence when nothing answers, without the password", async () => {
    const attempt = expectUsable({
      databaseUrl: "postgres://user:secret@127.0.0.1:1/db",
      redisUrl: undefined,
    });
    await expect(attempt).rejects.toThrow(
      "DATABASE_URL names 127.0.0.1:1, where nothing answers: start it, or unset DATABASE_URL.",
    );
  });

  it("may be reached by a Unix socket", async () => {
    const attempt = expectUsable({
      databaseUrl: "postgres://user:secret@/db?host=/nowhere",
      redisUrl: undefined,
    });
    await expect(attempt).rejects.toThrow(/^Postgres is not reached at DATABASE_URL \(connect ENOENT/);
  });

  it("are reported when another server answers there", async () => {
    const redisUrl = database.url.replace(/^postgres(ql)?:/, "redis:").replace(/\/[^/]*$/, "");
    await expect(expectUsable({ databaseUrl: database.url, redisUrl })).rejects.toThrow(
      /^What answers at REDIS_URL is not a Redis server: correct the address\.$/,
    );
    const both = expectUsable({
      databaseUrl: `postgres://u:p@ss@${other}/x`,
      redisUrl: `redis://${other}/0`,
    });
    await expect(both).rejects.toThrow(
      /^Postgres is not reached at DATABASE_URL .*\nWhat answers at REDIS_URL /,
    );
  });

  it("are read without revealing passwords", () => {
    expect(readNamedStores({ DATABASE_URL: " ", REDIS_URL: redis.url })).toEqual({
      databaseUrl: undefined,
      redisUrl: redis.url,
    });
    const attempt = () => readNamedStores({ DATABASE_URL: "mysql://user:secret@x" });
    expect(attempt).toThrow(
      "DATABASE_URL has an unusable value: it must be an address like postgres://user:password@127.0.0.1:5432/name",
    );
    expect(attempt).not.toThrow("secret");
  });
});

describe("the stores of a command", () => {
  let dir = "";
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "diegetic-audit-"));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const SILENT = {
    baseUrl: "http://127.0.0.1:1/api",
    managementUrl: "http://127.0.0.1:1/api",
    matchUrls: [],
    databaseUrl: "postgres://127.0.0.1:1/x",
    redisUrl: "redis://127.0.0.1:1",
    processes: [],
  };

  it("are missing when no stack runs", async () => {
    await expect(findStores({ DATA_DIR: dir })).rejects.toThrow(`No stack runs in ${dir}: `);
  });

  it("are missing when the stack was killed, although its file exists", async () => {
    writeStackFile(dir, SILENT);
    await expect(findStores({ DATA_DIR: dir })).rejects.toThrow(`No stack runs in ${dir} any more`);
  });

  it("are named when one of a running stack does not answer", async () => {
    const lock = await lockDataDirectory(dir, "stack");
    writeStackFile(dir, SILENT);
    await expect(findStores({ DATA_DIR: dir })).rejects.toThrow(`Postgres of the stack in ${dir}`);
    lock.release();
  });

  it("are named by their variable", async () => {
    const named = { DATABASE_URL: SILENT.databaseUrl, REDIS_URL: SILENT.redisUrl };
    await expect(findStores(named)).rejects.toThrow("REDIS_URL names 127.0.0.1:1");
  });

  it.each([
    ["DATABASE_URL", "REDIS_URL", SILENT.databaseUrl],
    ["REDIS_URL", "DATABASE_URL", SILENT.redisUrl],
  ])("are not mixed: %s without %s is refused, although a stack runs", async (given, missing, url) => {
    writeStackFile(dir, SILENT);
    await expect(findStores({ DATA_DIR: dir, [given]: url })).rejects.toThrow(
      `${given} is set and ${missing} is not: set both, `,
    );
  });

  it("are refused with an example when an address is none", async () => {
    await expect(findStores({ DATABASE_URL: "banana" })).rejects.toThrow(
      "DATABASE_URL has an unusable value: it must be an address like postgres://",
    );
  });
});
