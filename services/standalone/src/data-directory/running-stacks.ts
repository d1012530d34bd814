import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isStackRunning } from "./lock.ts";

/** In node_modules, which version control ignores. */
const RECORDS_DIR = fileURLToPath(new URL("../../../../node_modules/.running-stacks/", import.meta.url));

/**
 * Records the data directories of this checkout's stacks, so that a command without DATA_DIR can find them. A record is
 * only a hint; the lock of the data directory decides whether the stack runs. So failures to write or remove a record are
 * ignored.
 */
export function recordStack(dataDir: string, recordsDir = RECORDS_DIR): void {
  attempt(() => {
    mkdirSync(recordsDir, { recursive: true });
    for (const { file, dataDir: recorded } of readRecords(recordsDir))
      if (!isStackRunning(recorded)) rmSync(file);
  });
  attempt(() => writeFileSync(recordFile(dataDir, recordsDir), dataDir, { mode: 0o600 }));
}

export function forgetStack(dataDir: string, recordsDir = RECORDS_DIR): void {
  attempt(() => rmSync(recordFile(dataDir, recordsDir), { force: true }));
}

/** The data directories of this checkout's running and starting stacks. */
export function runningStacks(recordsDir = RECORDS_DIR): string[] {
  const recorded = readRecords(recordsDir).map(({ dataDir }) => dataDir);
  return recorded.filter(isStackRunning).sort();
}

function readRecords(recordsDir: string): { file: string; dataDir: string }[] {
  const names = attempt(() => readdirSync(recordsDir)) ?? [];
  return names.flatMap((name) => {
    const file = join(recordsDir, name);
    const dataDir = attempt(() => readFileSync(file, "utf8"));
    return dataDir ? [{ file, dataDir }] : [];
  });
}

function recordFile(dataDir: string, recordsDir: string): string {
  return join(recordsDir, createHash("sha256").update(dataDir).digest("hex").slice(0, 16));
}

function attempt<T>(access: () => T): T | undefined {
  try {
    return access();
  } catch {
    // A record of another user, a record that was just removed, or a read-only checkout.
    return undefined;
  }
}
