import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { processIdentity } from "@diegetic/local-stores";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { DataDirectoryInUse, isStackRunning, lockDataDirectory } from "./lock.ts";
import { readOrCreateSecrets } from "./secrets.ts";
import { leftoverPids, readStackFile, removeStackFile, writeStackFile } from "./stack-file.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "diegetic-data-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Locks each directory at the same moment as the other starters do. */
function startStarter(dirs: readonly string[], arrivals: Int32Array, starters: number): Worker {
  const source = `const { parentPort, workerData } = require("node:worker_threads");
    import(${JSON.stringify(new URL("./lock.ts", import.meta.url).href)}).then(async ({ lockDataDirectory }) => {
      const { dirs, arrivals, starters } = workerData;
      const outcomes = [];
      for (const [round, dir] of dirs.entries()) {
        Atomics.add(arrivals, 0, 1);
        while (Atomics.load(arrivals, 0) < starters * (round + 1));
        outcomes.push(await lockDataDirectory(dir, "stack").then(() => "locked", (error) => error.constructor.name));
      }
      parentPort.postMessage(outcomes);
    });`;
  return new Worker(source, { eval: true, workerData: { dirs, arrivals, starters } });
}

describe("the lock of a data directory", () => {
  it.each([
    ["a new directory", undefined],
    ["a directory whose stack has ended", { pid: process.pid, identity: "1" }],
  ])("is acquired by one of two that start at once in %s", async (_where, holder) => {
    const dirs = Array.from({ length: 100 }, (_, round) => join(dir, String(round)));
    for (const one of dirs) {
      mkdirSync(one);
      if (holder !== undefined) writeFileSync(join(one, "stack.lock"), JSON.stringify(holder));
    }
    const arrivals = new Int32Array(new SharedArrayBuffer(4));
    const starters = [1, 2].map(() => startStarter(dirs, arrivals, 2));
    const outcomes = (await Promise.all(starters.map((one) => once(one, "message")))).flat();
    for (const [round, one] of dirs.entries()) {
      expect(outcomes.map((of) => of[round]).sort()).toEqual(["DataDirectoryInUse", "locked"]);
      expect(readdirSync(one)).toEqual(["stack.lock"]);
    }
  });

  it("is not released by a former holder", async () => {
    const former = await lockDataDirectory(dir, "stack");
    rmSync(join(dir, "stack.lock"));
    const lock = await lockDataDirectory(dir, "stack");
    former.release();
    expect(isStackRunning(dir)).toBe(true);
    lock.release();
    expect(isStackRunning(dir)).toBe(false);
  });

  it("refuses a second stack with a sentence that names the directory, and is free after release", async () => {
    expect(isStackRunning(dir)).toBe(false);
    const lock = await lockDataDirectory(dir, "stack");
    expect(isStackRunning(dir)).toBe(true);
    await expect(lockDataDirectory(dir, "stack")).rejects.toThrow(DataDirectoryInUse);
    await expect(lockDataDirectory(dir, "key")).rejects.toThrow(dir);
    lock.release();
    expect(isStackRunning(dir)).toBe(false);
    await lockDataDirectory(dir, "stack");
    expect(isStackRunning(dir)).toBe(true);
  });

  it("is waited for while a key is being created", async () => {
    const order: string[] = [];
    const key = await lockDataDirectory(dir, "key");
    const stack = lockDataDirectory(dir, "stack").then(() => order.push("stack starts"));
    order.push("key created");
    key.release();
    await stack;
    expect(order).toEqual(["key created", "stack starts"]);
  });

  it.each([
    ["a process that has ended", () => ({ pid: spawnSync("true").pid, identity: "1" })],
    ["an earlier process of the same pid", () => ({ pid: process.pid, identity: "1" })],
    ["nobody one can read", () => "x"],
  ])("is taken over from %s", async (_case, holder) => {
    writeFileSync(join(dir, "stack.lock"), JSON.stringify(holder()));
    expect(isStackRunning(dir)).toBe(false);
    await lockDataDirectory(dir, "stack");
    expect(isStackRunning(dir)).toBe(true);
  });

  it("creates a data directory that is accessible only to its owner", async () => {
    const made = join(dir, "made");
    (await lockDataDirectory(made, "stack")).release();
    expect(statSync(made).mode & 0o777).toBe(0o700);
  });

  it.each([
    ["a file", () => join(dir, "file"), "it is, or lies below, a file"],
    ["a directory below a file", () => join(dir, "file", "a", "b"), "it is, or lies below, a file"],
    ["one that the system refuses to make", () => "/proc/diegetic/data", "no directory can be made there"],
  ])("says that %s cannot be a data directory", async (_what, path, reason) => {
    writeFileSync(join(dir, "file"), "");
    await expect(lockDataDirectory(path(), "stack")).rejects.toThrow(
      `DATA_DIR names ${path()}, which cannot be used: ${reason}. Name another directory.`,
    );
    expect(readStackFile(path())).toBeUndefined();
  });

  it("creates missing parents of a data directory", async () => {
    await lockDataDirectory(join(dir, "a", "b", "c"), "stack");
    expect(isStackRunning(join(dir, "a", "b", "c"))).toBe(true);
  });
});

describe("secrets", () => {
  it("are created once and readable only by their owner", () => {
    const secrets = readOrCreateSecrets(dir);
    expect(readOrCreateSecrets(dir)).toEqual(secrets);
    expect(secrets.demoSecret.length).toBeGreaterThanOrEqual(32);
    expect(secrets.playerHashKey.length).toBeGreaterThanOrEqual(32);
    expect(statSync(join(dir, "secrets.json")).mode & 0o777).toBe(0o600);
  });

  it("are not silently replaced when the file is broken", () => {
    writeFileSync(join(dir, "secrets.json"), "{");
    expect(() => readOrCreateSecrets(dir)).toThrow("secrets.json");
  });
});

describe("stack.json", () => {
  it("is read as it was written, and absent after removal", () => {
    const description = {
      baseUrl: "http://127.0.0.1:8080/api",
      managementUrl: "http://127.0.0.1:1/api",
      matchUrls: [],
      databaseUrl: "postgres://x",
      redisUrl: "redis://x",
      processes: [{ name: "match-1", pid: 1, metricsUrl: null }],
    };
    writeStackFile(dir, description);
    expect(readStackFile(dir)).toEqual(description);
    removeStackFile(dir);
    expect(readStackFile(dir)).toBeUndefined();
  });

  it("counts as absent when the machine stopped before it was on disk", () => {
    writeFileSync(join(dir, "stack.json"), "");
    expect(readStackFile(dir)).toBeUndefined();
  });

  it("names the processes that still run, and no others that have their pids now", () => {
    const [own, parent] = [process.pid, process.ppid];
    const stores = { databaseUrl: "postgres://x", redisUrl: "redis://x" };
    writeStackFile(dir, {
      ...stores,
      baseUrl: "",
      managementUrl: "",
      matchUrls: [],
      processes: [
        { name: "match-1", pid: own, identity: processIdentity(own), metricsUrl: null },
        { name: "match-2", pid: parent, identity: "1", metricsUrl: null },
        { name: "match-3", pid: spawnSync("true").pid, identity: "1", metricsUrl: null },
      ],
    });
    expect(leftoverPids(dir)).toEqual([own]);
  });
});
