import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processIdentity } from "@diegetic/local-stores";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { isStackRunning } from "./data-directory/lock.ts";
import { readStackFile, type StackDescription, writeStackFile } from "./data-directory/stack-file.ts";
import { runStack } from "./run.ts";

const before = { ...process.env };
let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "diegetic-run-"));
});
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

it("leaves no new data directory behind when its port is in use", async () => {
  const blocker = createServer().listen(0, "127.0.0.1");
  await once(blocker, "listening");
  const { port } = blocker.address() as AddressInfo;
  const newDir = join(dataDir, "new");
  Object.assign(process.env, { DATA_DIR: newDir, PORT: String(port) });
  try {
    await expect(runStack([])).rejects.toThrow(new RegExp(`${port} is already in use.*PORT`));
    expect(existsSync(newDir)).toBe(false);
  } finally {
    blocker.close();
  }
});

it("names everything that is wrong with its settings, at once", async () => {
  const wrong = { PORT: "eighty", DEMO: "yes", HOLD_TTL_SECONDS: "soon", LOG_LEVEL: "loud" };
  Object.assign(process.env, { DATA_DIR: dataDir, ...wrong, DATABASE_URL: "mysql://user:secret@x" });
  const message = await runStack(["--match-instances", "none"]).catch((error: Error) => error.message);
  for (const [variable, value] of Object.entries(wrong))
    expect(message).toContain(`${variable} is "${value}"`);
  expect(message).toContain('--match-instances is "none"');
  expect(message).toContain("DATABASE_URL has an unusable value");
  expect(message).not.toContain("secret");
  expect(readdirSync(dataDir)).toEqual([]);
});
