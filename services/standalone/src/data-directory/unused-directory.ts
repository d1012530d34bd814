import { rmdirSync, rmSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import type { DataDirectoryLock } from "./lock.ts";

/** Files that a start creates before it stores data; nothing else is ever removed. */
const MADE_BY_A_START = ["logs", "postgres", "redis", "secrets.json"];

/**
 * Releases the lock of a data directory. If the lock's holder created the directory, also removes it with the files of a
 * start and the parents created for it. A directory with any other content stays. Never throws, so that the caller can
 * report the failure of the start.
 */
export function releaseUnusedDirectory(dataDir: string, lock: DataDirectoryLock): void {
  // Before the lock is released, so that no other process uses the removed files.
  if (lock.made !== undefined) {
    attempt(() => {
      for (const name of MADE_BY_A_START) rmSync(join(dataDir, name), { recursive: true, force: true });
    });
  }
  lock.release();
  if (lock.made !== undefined) removeEmptyDirectories(resolve(dataDir), resolve(lock.made));
}

/** Removes directories upwards to the topmost created one; stops at one that is not empty, such as with the next holder's lock. */
function removeEmptyDirectories(lowest: string, first: string): void {
  // Otherwise the loop would miss the topmost created directory and continue to existing ones.
  if (lowest !== first && !lowest.startsWith(`${first}${sep}`)) return;
  attempt(() => {
    let directory = lowest;
    for (rmdirSync(directory); directory !== first; rmdirSync(directory)) directory = dirname(directory);
  });
}

function attempt(remove: () => void): void {
  try {
    remove();
  } catch {
    // The directory is not empty, or removing it is not permitted.
  }
}
