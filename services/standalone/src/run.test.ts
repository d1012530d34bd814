import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processIdentity } from "@diegetic/local-stores";
import { afterEach, expect, it } from "@jest/globals";
import { isStackRunning } from "./data-directory/lock.ts";
import { readStackFile, type StackDescription, writeStackFile } from "./data-directory/stack-file.ts";
import { runStack } from "./run.ts";

const dataDir = mkdtempSync(join(tmpdir(), "diegetic-run-"));
const before = { ...process.env };
afterEach(() => {
  process.env = { ...before };
  rmSync(dataDir, { recursive: true });
});

it("refuses each start beside the processes of a killed stack", async () => {
  const killed: StackDescription = {
    baseUrl: "http://127.0.0.1:1/api",
    managementUrl: "http://127.0.0.1:1/api",
    matchUrls: [],
    databaseUrl: "postgres://127.0.0.1:1/x",
    redisUrl: "redis://127.0.0.1:1",
    processes: [
      { name: "match-1", pid: process.pid, identity: processIdentity(process.pid), metricsUrl: null },
    ],
  };
  writeStackFile(dataDir, killed);
  Object.assign(process.env, { DATA_DIR: dataDir });
  for (const _start of ["first", "second"]) {
    await expect(runStack([], { leftoverTimeoutMs: 0 })).rejects.toThrow(
      `Processes of a killed stack still run: end them (${process.pid}) and start again.`,
    );
    expect(readStackFile(dataDir)).toEqual(killed);
    expect(isStackRunning(dataDir)).toBe(false);
  }
});
