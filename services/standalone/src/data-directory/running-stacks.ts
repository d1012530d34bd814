import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isStackRunning } from "./lock.ts";

/** Beside the packages of this checkout, which need no place in version control either. */
const NOTES_DIR = fileURLToPath(new URL("../../../../node_modules/.running-stacks/", import.meta.url));

/**
 * Notes which data directories the stacks of this checkout use, so that a command without DATA_DIR can find them. A note
 * is only a hint: whether the stack runs, the lock of its data directory says. Hence a note that cannot be written or
 * removed hinders nobody.
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

/** The data directories of the stacks of this checkout that run or start at this moment. */
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
    // Another user's note, one that was just removed, or a checkout that cannot be written.
    return undefined;
  }
}
