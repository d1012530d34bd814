import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { processIdentity, SetupError } from "@diegetic/local-stores";

const FILE_NAME = "stack.lock";
const ATTEMPTS = 3;
const SHORT_HOLD_TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 50;

/** `stack`: held until Ctrl-C. `key`: held briefly, while a key is created in a stopped stack. */
export type LockPurpose = "stack" | "key";

export interface DataDirectoryLock {
  release(): void;
}

/** Another process uses the data directory. */
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
 * Acquires exclusive use of the data directory. Takes over a lock whose holder has ended; waits for a lock that is only
 * held briefly. Throws DataDirectoryInUse.
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

/** Whether a stack is running or starting in the data directory. */
export function isStackRunning(dataDir: string): boolean {
  const holder = readHolder(join(dataDir, FILE_NAME));
  return holder?.purpose === "stack" && isAlive(holder);
}

function tryLock(dataDir: string, purpose: LockPurpose): DataDirectoryLock {
  const file = join(dataDir, FILE_NAME);
  const own: Partial<Holder> = { pid: process.pid, identity: processIdentity(process.pid), purpose };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    if (createLockFile(dataDir, file, JSON.stringify(own))) {
      return { release: () => rmSync(file, { force: true }) };
    }
    const holder = readHolder(file);
    if (holder !== undefined && isAlive(holder)) throw new DataDirectoryInUse(dataDir, holder);
    rmSync(file, { force: true });
  }
  throw new SetupError(`${file} could not be created: other processes are starting in ${dataDir} too.`);
}

/** False: the lock exists already. */
function createLockFile(dataDir: string, file: string, content: string): boolean {
  try {
    makeDirectory(dataDir);
    writeFileSync(file, content, { flag: "wx" });
    return true;
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
 * Creates a directory with its missing parents. Node's recursive mkdir loops forever on file systems that report a missing
 * parent although it exists, such as /proc.
 */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || existsSync(dirname(path))) throw error;
    makeDirectory(dirname(path));
    makeDirectory(path);
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
