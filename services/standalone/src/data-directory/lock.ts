import { randomUUID } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { processIdentity, SetupError } from "@diegetic/local-stores";

const FILE_NAME = "stack.lock";
const MAX_ATTEMPTS = 3;
const SHORT_HOLD_TIMEOUT_MS = 60_000;
const CHECK_EVERY_MS = 50;

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
      await new Promise((resolve) => setTimeout(resolve, CHECK_EVERY_MS));
    }
  }
}

/** Whether a stack is running or starting in the data directory. */
export function isStackRunning(dataDir: string): boolean {
  const holder = holderIn(readLock(join(dataDir, FILE_NAME)));
  return holder?.purpose === "stack" && isAlive(holder);
}

function tryLock(dataDir: string, purpose: LockPurpose): DataDirectoryLock {
  const file = join(dataDir, FILE_NAME);
  const holder: Partial<Holder> = { pid: process.pid, identity: processIdentity(process.pid), purpose };
  const own = JSON.stringify({ ...holder, id: randomUUID() });
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    if (createLock(dataDir, file, own)) return { release: () => removeLock(file, own) };
    const found = readLock(file);
    const other = holderIn(found);
    if (other !== undefined && isAlive(other)) throw new DataDirectoryInUse(dataDir, other);
    if (found !== undefined) removeLock(file, found);
  }
  throw new SetupError(`${file} could not be created: other processes are starting in ${dataDir} too.`);
}

/** False: the lock exists already. */
function createLock(dataDir: string, file: string, content: string): boolean {
  const draft = `${file}.${randomUUID()}`;
  try {
    makeDirectory(dataDir);
    writeFileSync(draft, content);
    try {
      // Appears together with its content: an empty lock would look like that of an ended process.
      linkSync(draft, file);
    } finally {
      rmSync(draft);
    }
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

/** Removes the lock if it still has this content. */
function removeLock(file: string, content: string): void {
  if (readLock(file) !== content) return;
  const taken = `${file}.${randomUUID()}`;
  try {
    // Only one process can rename it.
    renameSync(file, taken);
    // Returns the lock of a process that was faster. It is gone only for a moment, which a third process would have to hit.
    if (readLock(taken) !== content) linkSync(taken, file);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["ENOENT", "EEXIST"].includes(code)) throw error;
  } finally {
    rmSync(taken, { force: true });
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

function readLock(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Undefined: no lock, or not one that a process of ours wrote. */
function holderIn(lock = ""): Holder | undefined {
  try {
    const { pid, identity, purpose } = JSON.parse(lock);
    if (typeof pid !== "number" || typeof identity !== "string") return undefined;
    return { pid, identity, purpose: purpose === "key" ? "key" : "stack" };
  } catch {
    return undefined;
  }
}
