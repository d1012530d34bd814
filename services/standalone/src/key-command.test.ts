import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createDatabase, type Database } from "@diegetic/database";
import { InstallationClaim, SnapshotPublisher } from "@diegetic/hot-state";
import { createTestDatabase, type TestDatabase } from "@diegetic/testing/database";
import { eventually } from "@diegetic/testing/eventually";
import { forgetLostLeases } from "@diegetic/testing/new-redis";
import { startTestRedis } from "@diegetic/testing/redis";
import { connectTestRedis } from "@diegetic/testing/redis-client";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { lockDataDirectory } from "./data-directory/lock.ts";
import { forgetStack, recordStack } from "./data-directory/running-stacks.ts";
import { expectNoOtherStack, readKeyOptions, runKeyCommand, scopesWarning } from "./key-command.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const COMMAND_TIMEOUT_MS = 300_000;

describe("arguments of npm run key", () => {
  it("are a label, scopes and a limit", () => {
    expect(
      readKeyOptions(["--label", " server ", "--scopes", "serving, developer", "--rate-limit=5"]),
    ).toEqual({
      label: "server",
      scopes: ["serving", "developer"],
      rateLimitPerMinute: 5,
    });
    expect(readKeyOptions(["--help"])).toBe("help");
  });

  it.each([
    [[], "--label is needed: it must be a text of 1 to 200 characters"],
    [["--label"], "argument missing"],
    [["--label", " "], '--label is " ": it must be a text of 1 to 200 characters'],
    [["--lable", "x"], "Unknown option '--lable'"],
    [["--label", "x", "more"], "Unexpected argument 'more'"],
    [
      ["--label", "x", "--scopes", "admin"],
      '--scopes is "admin": it must be some of advertiser, developer, serving',
    ],
    [["--label", "x", "--rate-limit", "0"], '--rate-limit is "0": it must be a whole number from 1'],
  ])("are refused with the usage: %j", (args, part) => {
    const problem = expect.objectContaining({
      name: "UsageError",
      message: expect.stringMatching(/\nUsage: npm run --silent key -- --label NAME /),
    });
    expect(() => readKeyOptions(args)).toThrow(problem);
    expect(() => readKeyOptions(args)).toThrow(part);
  });
});

it("warns that an account with only a serving key can own no game", () => {
  expect(scopesWarning({ label: "x", scopes: ["serving"] })).toContain("can own no game");
  expect(scopesWarning({ label: "x", scopes: ["serving", "developer"] })).toBeUndefined();
  expect(scopesWarning({ label: "x" })).toBeUndefined();
});

describe("without DATA_DIR", () => {
  const dir = mkdtempSync(join(tmpdir(), "diegetic-key-"));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  it("names a stack that runs elsewhere, and creates no second one", () => {
    const wrongUse = {
      name: "UsageError",
      message: expect.stringContaining("set DATA_DIR=/data/of-mine to"),
    };
    expect(() => expectNoOtherStack(join(dir, "none"), ["/data/of-mine"])).toThrow(
      expect.objectContaining(wrongUse),
    );
  });

  it("names each of several, quoted for a shell", () => {
    expect(() => expectNoOtherStack(join(dir, "none"), ["/a", "/it's here"])).toThrow(
      "set DATA_DIR=/a or DATA_DIR='/it'\\''s here' to",
    );
  });

  it("creates a first stack, and uses an existing one", () => {
    mkdirSync(join(dir, "there", "postgres"), { recursive: true });
    expect(() => expectNoOtherStack(join(dir, "none"), [])).not.toThrow();
    expect(() => expectNoOtherStack(join(dir, "there"), ["/data/of-mine"])).not.toThrow();
  });
});

// With a stack in .data, the command uses that one.
const hasOwnStack = existsSync(join(ROOT, ".data", "postgres"));
(hasOwnStack ? it.skip : it)(
  "npm run key without DATA_DIR ends with 2 beside a stack that runs elsewhere",
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "diegetic-elsewhere-"));
    const lock = await lockDataDirectory(dataDir, "stack");
    try {
      recordStack(dataDir);
      const { DATA_DIR: _dataDir, DATABASE_URL: _database, ...env } = process.env;
      const command = promisify(execFile)("npm", ["run", "--silent", "key", "--", "--label", "x"], {
        cwd: ROOT,
        env,
      });
      await expect(command).rejects.toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining(`DATA_DIR=${dataDir} `),
      });
      expect(existsSync(join(ROOT, ".data", "postgres"))).toBe(false);
    } finally {
      forgetStack(dataDir);
      lock.release();
      rmSync(dataDir, { recursive: true });
    }
  },
  COMMAND_TIMEOUT_MS,
);

describe("a key in DATABASE_URL", () => {
  let store: TestDatabase;
  let database: Database;
  beforeEach(async () => {
    store = await createTestDatabase();
    database = createDatabase(store.url, { poolSize: 1, applicationName: "key-test" });
  });
  afterEach(async () => {
    await database.$disconnect();
    await store.drop();
  });
  const createKey = (environment: object = {}) =>
    promisify(execFile)(process.execPath, ["docker/key.mjs", "--label", "x"], {
      cwd: ROOT,
      env: { ...process.env, DATABASE_URL: store.url, ...environment },
    });
  const printed = { stdout: expect.stringMatching(/^igk_\S{32,}\n$/), stderr: "" };
  /** The last query of the command. */
  const asksWhetherPublished = async () => {
    const [asked] = await database.$queryRaw<{ asks: boolean }[]>`
      SELECT query ILIKE 'SELECT%published_version%' AS asks FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'key-command'`;
    return asked?.asks;
  };
  const publish = async () => {
    const { id, version } = await database.apiKey.findFirstOrThrow();
    await database.apiKey.update({ where: { id }, data: { publishedVersion: version } });
  };

  it("is printed once management has published it", async () => {
    const command = createKey();
    await eventually(asksWhetherPublished);
    expect(command.child.exitCode).toBeNull();
    await publish();
    expect(await command).toEqual(printed);
  });

  it("is printed once every match instance has applied it", async () => {
    const redis = await startTestRedis();
    const observer = connectTestRedis(redis.url);
    try {
      const command = createKey({ REDIS_URL: redis.url });
      await eventually(asksWhetherPublished);
      await publish();
      await eventually(async () =>
        String(await observer.call("CLIENT", "LIST")).includes("name=key-command"),
      );
      expect(command.child.exitCode).toBeNull();
      await new SnapshotPublisher(observer).rebuild([]);
      await forgetLostLeases(redis.url);
      expect(await command).toEqual(printed);
    } finally {
      observer.disconnect();
      await redis.stop();
    }
  });

  it("is printed with a note while Redis is unavailable", async () => {
    const command = createKey({ REDIS_URL: "redis://127.0.0.1:1" });
    await eventually(asksWhetherPublished);
    await publish();
    expect(await command).toEqual({
      stdout: printed.stdout,
      stderr: "The key is valid within two seconds once all services run.\n",
    });
  });

  it("is not made beside another installation's Redis", async () => {
    const redis = await startTestRedis();
    const other = connectTestRedis(redis.url);
    try {
      await eventually(async () => {
        await new InstallationClaim(other, async () => "inst_other").check();
        return true;
      });
      await expect(createKey({ REDIS_URL: redis.url })).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /^The Redis at REDIS_URL belongs to another installation \(inst_other\)/,
        ),
      });
      expect(await database.apiKey.count()).toBe(0);
    } finally {
      other.disconnect();
      await redis.stop();
    }
  });

  it("is printed though nobody can be asked about it any more", async () => {
    const command = createKey();
    await eventually(asksWhetherPublished);
    await database.$executeRaw`ALTER TABLE api_keys RENAME TO no_api_keys`;
    const { stdout } = await command;
    expect(stdout).toMatch(/^igk_/);
  });

  it("is printed with a note while no management runs", async () => {
    const { stdout, stderr } = await createKey();
    expect(stdout).toMatch(/^igk_/);
    expect(stderr).toBe("The key is valid within two seconds once all services run.\n");
    expect(await database.apiKey.findFirst()).toMatchObject({ version: 1, publishedVersion: 0 });
  });
});

describe("no key is created", () => {
  const before = { ...process.env };
  afterEach(() => {
    process.env = { ...before };
  });

  it("when the data directory does not exist", async () => {
    process.env.DATA_DIR = "/nowhere/diegetic";
    await expect(runKeyCommand(["--label", "x"])).rejects.toThrow(
      "DATA_DIR names /nowhere/diegetic, which does not exist",
    );
  });

  it.each([
    ["banana", "DATABASE_URL has an unusable value: it must be an address like postgres://"],
    ["postgres://127.0.0.1:1/x", /^DATABASE_URL names 127.0.0.1:1, where nothing answers/],
  ])("when DATABASE_URL is %s", async (text, sentence) => {
    Object.assign(process.env, { DATABASE_URL: text });
    await expect(runKeyCommand(["--label", "x"])).rejects.toThrow(sentence);
  });
});
