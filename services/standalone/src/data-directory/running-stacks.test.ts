import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { lockDataDirectory } from "./lock.ts";
import { forgetStack, recordStack, runningStacks } from "./running-stacks.ts";

let dir = "";
let records = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "diegetic-running-"));
  records = join(dir, "records");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const start = async (name: string) => {
  const dataDir = join(dir, name);
  const lock = await lockDataDirectory(dataDir, "stack");
  recordStack(dataDir, records);
  return { dataDir, lock };
};

it("stacks are known from their start to their stop", async () => {
  expect(runningStacks(records)).toEqual([]);
  const [first, second] = [await start("a"), await start("b")];
  expect(runningStacks(records)).toEqual([first.dataDir, second.dataDir]);
  forgetStack(first.dataDir, records);
  expect(runningStacks(records)).toEqual([second.dataDir]);
});

it("a killed stack does not count, and the next start removes its record", async () => {
  const killed = await start("killed");
  killed.lock.release();
  expect(runningStacks(records)).toEqual([]);
  const next = await start("next");
  expect(runningStacks(records)).toEqual([next.dataDir]);
  expect(readdirSync(records)).toHaveLength(1);
});

it("a start continues when its record cannot be written", async () => {
  writeFileSync(records, "a file");
  await start("unrecorded");
  expect(runningStacks(records)).toEqual([]);
  forgetStack("unrecorded", records);
});
