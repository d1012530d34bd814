import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { FileLock } from "./file-lock.ts";

const IN_USE = "is used by another client";

describe("FileLock", () => {
  let directory: string;
  let file: string;
  let lockFile: string;
  const children: ChildProcess[] = [];
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "diegetic-lock-"));
    file = join(directory, "impressions.jsonl");
    lockFile = `${file}.lock`;
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill();
    rmSync(directory, { recursive: true, force: true });
  });

  const isHeld = () => {
    try {
      new FileLock(file).release();
      return false;
    } catch (error) {
      expect((error as Error).message).toContain(IN_USE);
      return true;
    }
  };

  /** The lock of this process, with other fields. */
  const writeLock = (fields: Record<string, unknown>) => {
    const lock = new FileLock(file);
    const owner = JSON.parse(readFileSync(lockFile, "utf8"));
    lock.release();
    writeFileSync(lockFile, JSON.stringify({ ...owner, ...fields }));
  };
  const silence = () => utimesSync(lockFile, 0, 0);

  it("belongs to one client until it is released", () => {
    const lock = new FileLock(file);
    silence();
    expect(isHeld()).toBe(true);
    lock.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it("is taken over at once from a process that ended", () => {
    writeLock({ pid: 999_999_999 });
    expect(isHeld()).toBe(false);
  });

  it("is taken over at once when another process got the id of its owner", () => {
    const child = spawn("sleep", ["60"]);
    children.push(child);
    writeLock({ pid: child.pid, start: "1" });
    expect(isHeld()).toBe(false);
  });

  it("of another container belongs to it until its heartbeat stops", () => {
    writeLock({ scope: "another container" });
    expect(isHeld()).toBe(true);
    silence();
    expect(isHeld()).toBe(false);
  });

  it("is held while its owner writes it, and free when the owner crashed then", () => {
    writeFileSync(lockFile, "");
    expect(isHeld()).toBe(true);
    silence();
    expect(isHeld()).toBe(false);
  });

  it("has a heartbeat", async () => {
    const lock = new FileLock(file, { heartbeatMs: 5 });
    silence();
    while (statSync(lockFile).mtimeMs === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    lock.release();
  });

  it("is lost when another client took it over", () => {
    const lock = new FileLock(file);
    lock.ensureHeld(0);
    rmSync(lockFile);
    const other = new FileLock(file);
    expect(() => lock.ensureHeld(0)).toThrow("was taken over");
    lock.release();
    other.ensureHeld(0);
    expect(isHeld()).toBe(true);
    other.release();
  });

  it("is lost when another client took it over and ended", () => {
    let isUntouched = true;
    const lock = new FileLock(file, { isUntouched: () => isUntouched });
    rmSync(lockFile);
    lock.ensureHeld(0);
    isUntouched = false;
    rmSync(lockFile);
    expect(() => lock.ensureHeld(0)).toThrow("was taken over");
    expect(isHeld()).toBe(false);
  });

  it("goes to one of several that find it stale", async () => {
    const opening = `import(${JSON.stringify(new URL("./file-lock.ts", import.meta.url).href)})
      .then(({ FileLock }) => new FileLock(${JSON.stringify(file)}))
      .then(() => "locked", (error) => error.message)
      .then((result) => require("node:worker_threads").parentPort.postMessage(result));`;
    writeLock({ pid: 999_999_999 });
    const workers = Array.from({ length: 4 }, () => new Worker(opening, { eval: true }));
    const results = await Promise.all(workers.map(async (worker) => String(await once(worker, "message"))));
    await Promise.all(workers.map((worker) => worker.terminate()));
    expect(results.filter((result) => result === "locked")).toHaveLength(1);
    expect(results.filter((result) => result.includes(IN_USE))).toHaveLength(3);
  });
});
