import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { eventually } from "@diegetic/testing/eventually";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { FileLock } from "./file-lock.ts";

const IN_USE = "is used by another client";
const itWithProc = existsSync("/proc/self/stat") ? it : it.skip;

describe("FileLock", () => {
  let directory: string;
  let file: string;
  let lockFile: string;
  const children: ChildProcess[] = [];
  const workers: Worker[] = [];
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "diegetic-lock-"));
    file = join(directory, "impressions.jsonl");
    lockFile = `${file}.lock`;
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill();
    await Promise.all(workers.splice(0).map((worker) => worker.terminate()));
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

  /** As on a machine whose clock differs. */
  const withClock = async (aheadMs: number, act: () => unknown) => {
    const RealDate = Date;
    globalThis.Date = class extends RealDate {
      constructor() {
        super(RealDate.now() + aheadMs);
      }
      static override now() {
        return RealDate.now() + aheadMs;
      }
    } as DateConstructor;
    try {
      await act();
    } finally {
      globalThis.Date = RealDate;
    }
  };

  /** A lock of a worker thread; resolves once it has it. */
  const lockInWorker = async () => {
    const worker = new Worker(
      `import(${JSON.stringify(new URL("./file-lock.ts", import.meta.url).href)})
        .then(({ FileLock }) => new FileLock(${JSON.stringify(file)}))
        .then(() => "locked", (error) => error.message)
        .then((result) => require("node:worker_threads").parentPort.postMessage(result));
      setInterval(() => undefined, 60_000);`,
      { eval: true },
    );
    workers.push(worker);
    return { worker, result: String((await once(worker, "message"))[0]) };
  };

  it("belongs to one client until it is released", () => {
    const lock = new FileLock(file);
    expect(isHeld()).toBe(true);
    lock.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  itWithProc("is held while the event loop of its owner is blocked (needs /proc)", () => {
    const lock = new FileLock(file);
    silence();
    expect(isHeld()).toBe(true);
    lock.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it("is taken over at once from a process that ended", () => {
    writeLock({ pid: 999_999_999, thread: "999999999" });
    expect(isHeld()).toBe(false);
  });

  it("is held while the runtime does not say whether its owner runs, until its heartbeat stops", () => {
    writeLock({ pid: 999_999_999, thread: "999999999" });
    const { kill } = process;
    process.kill = () => {
      throw new Error("Requires run access");
    };
    try {
      expect(isHeld()).toBe(true);
      silence();
      expect(isHeld()).toBe(false);
    } finally {
      process.kill = kill;
    }
  });

  itWithProc("is free when the worker thread of its owner ended (needs /proc)", async () => {
    const { worker, result } = await lockInWorker();
    expect(result).toBe("locked");
    silence();
    expect(isHeld()).toBe(true);
    await worker.terminate();
    await eventually(() => !isHeld());
  });

  itWithProc("is taken over at once when another process got the id of its owner (needs /proc)", () => {
    const child = spawn("sleep", ["60"]);
    children.push(child);
    writeLock({ pid: child.pid, thread: String(child.pid), start: "1" });
    expect(isHeld()).toBe(false);
  });

  it("of another container belongs to it until its heartbeat stops", () => {
    writeLock({ scope: "another container" });
    expect(isHeld()).toBe(true);
    silence();
    expect(isHeld()).toBe(false);
  });

  it("of another container belongs to it however the clocks differ", async () => {
    writeLock({ scope: "another container" });
    await withClock(60_000, () => expect(isHeld()).toBe(true));
    await withClock(-60_000, () => expect(isHeld()).toBe(true));
  });

  it("is held while its owner writes it, and free when the owner crashed then", () => {
    writeFileSync(lockFile, "");
    expect(isHeld()).toBe(true);
    silence();
    expect(isHeld()).toBe(false);
  });

  it("has a heartbeat by the clock of the file system", async () => {
    const lock = new FileLock(file, { heartbeatMs: 5 });
    const before = statSync(lockFile).mtimeMs;
    await withClock(60_000, async () => {
      silence();
      await eventually(() => statSync(lockFile).mtimeMs > 0);
    });
    const beatenAt = statSync(lockFile).mtimeMs;
    lock.release();
    writeFileSync(file, "");
    expect(beatenAt).toBeGreaterThanOrEqual(before);
    expect(beatenAt).toBeLessThanOrEqual(statSync(file).mtimeMs);
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
    writeLock({ pid: 999_999_999, thread: "999999999" });
    const results = await Promise.all(Array.from({ length: 4 }, async () => (await lockInWorker()).result));
    expect(results.filter((result) => result === "locked")).toHaveLength(1);
    expect(results.filter((result) => result.includes(IN_USE))).toHaveLength(3);
  });
});
