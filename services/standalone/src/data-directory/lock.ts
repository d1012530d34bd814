import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { processIdentity, SetupError } from "@diegetic/local-stores";

const FILE_NAME = "stack.lock";
const ATTEMPTS = 3;
const SHORT_HOLD_TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 50;

/** `stack`: until Ctrl-C. `key`: for a moment, while a key is created in a stack that does not run. */
export type LockPurpose = "stack" | "key";

export interface DataDirectoryLock {
  /** The last holder was killed: what it had started may need a moment to end. */
  wasLeftOver: boolean;
  /** The first directory on the way to the data directory that had to be made; undefined: all were there. */
  made: string | undefined;
  release(): void;
}

/** Somebody else works in the data directory. */
export class DataDirectoryInUse extends SetupError {
  readonly purpose: LockPurpose;

  constructor(dataDir: string, holder: Holder) {
    super(
      `The stack of ${dataDir} already runs (process ${holder.pid}): stop it with Ctrl-C, or set DATA_DIR and PORT to run another one.`,
    );
    this.purpose = holder.purpose;
  }
}

interface Holder {
  pid: number;
  identity: string;
  purpose: LockPurpose;
}

/**
 * Makes this process the only one that works in the data directory. A lock whose holder is gone is taken over; one that
 * is held for a moment only is waited for. Throws DataDirectoryInUse.
 */
export async function lockDataDirectory(dataDir: string, purpose: LockPurpose): Promise<DataDirectoryLock> {
  const deadline = performance.now() + SHORT_HOLD_TIMEOUT_MS;
  for (;;) {
    try {
      return tryLock(dataDir, purpose);
    } catch (error) {
      const isShort = error instanceof DataDirectoryInUse && error.purpose === "key";
      if (!isShort || performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }
}

/** Whether a stack runs or starts in the data directory at this moment. */
export function isStackRunning(dataDir: string): boolean {
  const holder = readHolder(join(dataDir, FILE_NAME));
  return holder?.purpose === "stack" && isAlive(holder);
}

function tryLock(dataDir: string, purpose: LockPurpose): DataDirectoryLock {
  const file = join(dataDir, FILE_NAME);
  const own: Partial<Holder> = { pid: process.pid, identity: processIdentity(process.pid), purpose };
  let wasLeftOver = false;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const created = createLockFile(dataDir, file, JSON.stringify(own));
    if (created !== false) {
      return { wasLeftOver, made: created.made, release: () => rmSync(file, { force: true }) };
    }
    const holder = readHolder(file);
    if (holder !== undefined && isAlive(holder)) {
      throw new DataDirectoryInUse(dataDir, holder);
    }
    rmSync(file, { force: true });
    wasLeftOver = true;
  }
  throw new SetupError(`${file} could not be created: other processes are starting in ${dataDir} too.`);
}

/** False: there is one already. */
function createLockFile(
  dataDir: string,
  file: string,
  content: string,
): { made: string | undefined } | false {
  try {
    const made = makeDirectory(dataDir);
    writeFileSync(file, content, { flag: "wx" });
    return { made };
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    const reason = REASONS[code] ?? message;
    throw new SetupError(
      `DATA_DIR names ${dataDir}, which cannot be used: ${reason}. Name another directory.`,
    );
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTDIR: "it is, or lies below, a file",
  ENOENT: "no directory can be made there",
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "nothing can be written there",
  ENOSPC: "the disk is full",
};

/**
 * Makes a directory with all that are missing above it, and returns the highest that it has made. Node's own way to do so
 * tries for ever where the system refuses directories as if those above were missing, as /proc does.
 */
function makeDirectory(path: string): string | undefined {
  try {
    mkdirSync(path, { mode: 0o700 });
    return path;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return undefined;
    if (code !== "ENOENT" || existsSync(dirname(path))) throw error;
    const above = makeDirectory(dirname(path));
    const own = makeDirectory(path);
    return above ?? own;
  }
}

function isAlive(holder: Holder): boolean {
  return processIdentity(holder.pid) === holder.identity;
}

function readHolder(file: string): Holder | undefined {
  try {
    const { pid, identity, purpose } = JSON.parse(readFileSync(file, "utf8"));
    if (typeof pid !== "number" || typeof identity !== "string") return undefined;
    return { pid, identity, purpose: purpose === "key" ? "key" : "stack" };
  } catch {
    return undefined;
  }
}
