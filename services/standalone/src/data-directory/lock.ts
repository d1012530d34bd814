import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processIdentity, SetupError } from "@diegetic/local-stores";

const FILE_NAME = "stack.lock";
const ATTEMPTS = 3;

export interface DataDirectoryLock {
  /** The last holder was killed: what it had started may need a moment to end. */
  wasLeftOver: boolean;
  release(): void;
}

/** Somebody else works in the data directory. */
export class DataDirectoryInUse extends SetupError {}

/** Makes this process the only one that works in the data directory; a lock whose holder is gone is taken over. */
export function lockDataDirectory(dataDir: string): DataDirectoryLock {
  mkdirSync(dataDir, { recursive: true });
  const file = join(dataDir, FILE_NAME);
  const own = JSON.stringify({ pid: process.pid, identity: processIdentity(process.pid) });
  let wasLeftOver = false;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    try {
      writeFileSync(file, own, { flag: "wx" });
      return { wasLeftOver, release: () => rmSync(file, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw explain(error, dataDir);
    }
    const holder = readHolder(file);
    if (holder !== undefined && processIdentity(holder.pid) === holder.identity)
      throw inUse(dataDir, holder.pid);
    rmSync(file, { force: true });
    wasLeftOver = true;
  }
  throw inUse(dataDir, undefined);
}

function readHolder(file: string): { pid: number; identity: string } | undefined {
  try {
    const { pid, identity } = JSON.parse(readFileSync(file, "utf8"));
    return typeof pid === "number" && typeof identity === "string" ? { pid, identity } : undefined;
  } catch {
    return undefined;
  }
}

function inUse(dataDir: string, pid: number | undefined): DataDirectoryInUse {
  const holder = pid === undefined ? "" : ` (process ${pid})`;
  return new DataDirectoryInUse(
    `The stack of ${dataDir} already runs${holder}: stop it with Ctrl-C, or set DATA_DIR and PORT to run another one.`,
  );
}

function explain(error: unknown, dataDir: string): Error {
  const reason = error instanceof Error ? error.message : String(error);
  return new SetupError(`DATA_DIR ${dataDir} cannot be written: ${reason}.`);
}
