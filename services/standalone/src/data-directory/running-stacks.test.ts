import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { lockDataDirectory } from "./lock.ts";
import { forgetStack, recordStack, runningStacks } from "./running-stacks.ts";

let dir = "";
let notes = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "diegetic-running-"));
  notes = join(dir, "notes");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const start = async (name: string) => {
  const dataDir = join(dir, name);
  const lock = await lockDataDirectory(dataDir, "stack");
  recordStack(dataDir, notes);
  return { dataDir, lock };
};

it("stacks are known from their start to their stop", async () => {
  expect(runningStacks(notes)).toEqual([]);
  const [first, second] = [await start("a"), await start("b")];
  expect(runningStacks(notes)).toEqual([first.dataDir, second.dataDir]);
  forgetStack(first.dataDir, notes);
  expect(runningStacks(notes)).toEqual([second.dataDir]);
});

it("a killed stack does not count, and the next start removes its record", async () => {
  const killed = await start("killed");
  killed.lock.release();
  expect(runningStacks(notes)).toEqual([]);
  const next = await start("next");
  expect(runningStacks(notes)).toEqual([next.dataDir]);
  expect(readdirSync(notes)).toHaveLength(1);
});

it("a start continues when its record cannot be written", async () => {
  writeFileSync(notes, "a file");
  await start("unnoted");
  expect(runningStacks(notes)).toEqual([]);
  forgetStack("unnoted", notes);
});
