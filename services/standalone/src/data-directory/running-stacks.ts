import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isStackRunning } from "./lock.ts";

/** In node_modules, which version control ignores. */
const NOTES_DIR = fileURLToPath(new URL("../../../../node_modules/.running-stacks/", import.meta.url));

/**
 * Records the data directories of this checkout's stacks, so that a command without DATA_DIR can find them. A record is
 * only a hint; the lock of the data directory decides whether the stack runs. So failures to write or remove a record are
 * ignored.
 */
export function noteStack(dataDir: string, notesDir = NOTES_DIR): void {
  attempt(() => {
    mkdirSync(notesDir, { recursive: true });
    for (const { file, dataDir: noted } of readNotes(notesDir)) if (!isStackRunning(noted)) rmSync(file);
  });
  attempt(() => writeFileSync(noteFile(dataDir, notesDir), dataDir, { mode: 0o600 }));
}

export function forgetStack(dataDir: string, notesDir = NOTES_DIR): void {
  attempt(() => rmSync(noteFile(dataDir, notesDir), { force: true }));
}

/** The data directories of this checkout's running and starting stacks. */
export function runningStacks(notesDir = NOTES_DIR): string[] {
  const noted = readNotes(notesDir).map(({ dataDir }) => dataDir);
  return noted.filter(isStackRunning).sort();
}

function readNotes(notesDir: string): { file: string; dataDir: string }[] {
  const names = attempt(() => readdirSync(notesDir)) ?? [];
  return names.flatMap((name) => {
    const file = join(notesDir, name);
    const dataDir = attempt(() => readFileSync(file, "utf8"));
    return dataDir ? [{ file, dataDir }] : [];
  });
}

function noteFile(dataDir: string, notesDir: string): string {
  return join(notesDir, createHash("sha256").update(dataDir).digest("hex").slice(0, 16));
}

function attempt<T>(access: () => T): T | undefined {
  try {
    return access();
  } catch {
    // A record of another user, a record that was just removed, or a read-only checkout.
    return undefined;
  }
}
