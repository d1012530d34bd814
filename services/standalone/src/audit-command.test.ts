import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { findStores, readAuditOptions } from "./audit-command.ts";
import { lockDataDirectory } from "./data-directory/lock.ts";
import { writeStackFile } from "./data-directory/stack-file.ts";

describe("options of npm run audit", () => {
  it("are a format and a waiting time", () => {
    expect(readAuditOptions([])).toEqual({ json: false, waitSeconds: 10 });
    expect(readAuditOptions(["--json", "--wait", "0"])).toEqual({ json: true, waitSeconds: 0 });
  });

  it("are printed by --help", () => {
    expect(readAuditOptions(["--help"])).toBe("help");
  });

  it.each([
    ["--wait=-1", '--wait is "-1": it must be a whole number from 0 to 3600.'],
    ["--wait=soon", '--wait is "soon": it must be a whole number from 0 to 3600.'],
    ["--wait=3601", '--wait is "3601": it must be a whole number from 0 to 3600.'],
    ["--verbose", "Unknown option '--verbose'."],
    ["now", "Unexpected argument 'now'."],
  ])("refuse %s", (argument, sentence) => {
    expect(() => readAuditOptions([argument])).toThrow(
      expect.objectContaining({
        name: "UsageError",
        message: `${sentence}\nUsage: npm run --silent audit -- [--json] [--wait SECONDS]`,
      }),
    );
  });
});

describe("the stores of npm run audit", () => {
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
