import { rmdirSync, rmSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import type { DataDirectoryLock } from "./lock.ts";

/** What a start makes before it has stored anything: nothing else is ever removed. */
const MADE_BY_A_START = ["logs", "postgres", "redis", "secrets.json"];

/**
 * Releases the lock of a data directory, and removes the directory when the holder of the lock has made it, with what a
 * start puts there and the directories above that it made for it. Where there is anything else, the directory stays with it.
 * Never throws, since the failure of the start is what has to be told.
 */
export function releaseUnusedDirectory(dataDir: string, lock: DataDirectoryLock): void {
  // While the lock is held, so that nobody has begun to use what is removed.
  if (lock.made !== undefined) {
    attempt(() => {
      for (const name of MADE_BY_A_START) rmSync(join(dataDir, name), { recursive: true, force: true });
    });
  }
  lock.release();
  if (lock.made !== undefined) removeEmptyDirectories(resolve(dataDir), resolve(lock.made));
}

/** From the lowest up to the first that was made; one that holds anything, such as the next holder's lock, is refused. */
function removeEmptyDirectories(lowest: string, first: string): void {
  // Otherwise the way up would never meet the first, and go on to directories that were there before.
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
    // Something of somebody else is there, or it may not be removed.
  }
}
