import { randomUUID } from "node:crypto";
import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";

const HEARTBEAT_MS = 3_000;
/** A lock whose owner cannot be looked up is left from a crash when it is older. Event loops may block for a while. */
const MAX_SILENCE_MS = 15_000;
const MAX_SILENCE_S = MAX_SILENCE_MS / 1_000;
const MAX_TRIES = 3;
const WITHOUT_LINKS = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

export interface FileLockOptions {
  heartbeatMs?: number;
  /** Whether no other client has used the locked file since. Asked when the lock has disappeared. */
  isUntouched?: () => boolean;
}

/** Who holds a lock. `start` tells threads with the same id apart, `token` locks of the same thread. */
interface Owner {
  /** Processes are comparable within it: one boot of one machine, one namespace of process ids. */
  scope: string;
  pid: number;
  /** In /proc: a worker thread may end before its process. */
  thread: string;
  start: string | null;
  token: string;
}

/**
 * Node has no lock of the operating system: a file names its owner. Two processes on one outbox would overwrite each
 * other's impressions. A crashed owner on this machine is found by its thread; another container or machine by the time
 * of its last heartbeat, by the clock of the file system: those of machines may differ.
 */
export class FileLock {
  readonly #file: string;
  readonly #path: string;
  readonly #content: string;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #isUntouched: () => boolean;
  /** As `performance.now`. */
  #checkedAtMs = 0;
  #isLost = false;

  /** Locks a file by another one beside it. Throws when another client has it. */
  constructor(file: string, { heartbeatMs = HEARTBEAT_MS, isUntouched = () => true }: FileLockOptions = {}) {
    this.#file = file;
    this.#isUntouched = isUntouched;
    this.#path = `${file}.lock`;
    const { pid } = process;
    const thread = ownThread();
    const owner: Owner = { scope: ownScope(), pid, thread, start: startOf(thread), token: randomUUID() };
    this.#content = JSON.stringify(owner);
    for (let tries = 1; !create(this.#path, this.#content); tries += 1) {
      if (tries >= MAX_TRIES || !removeStale(this.#path)) {
        throw new Error(
          `${file} is used by another client; give each process a file of its own. After a crash in a container or on another machine, it is free after ${MAX_SILENCE_S} s`,
        );
      }
    }
    this.#timer = setInterval(() => this.#beat(), heartbeatMs);
    this.#timer.unref();
  }

  /**
   * Throws after `release`, or after another client took the lock over, such as while this process was suspended. Looks at
   * the file when it has not done so for `maxAgeMs`: the event loop may have been blocked.
   */
  ensureHeld(maxAgeMs = 2 * HEARTBEAT_MS): void {
    if (performance.now() - this.#checkedAtMs >= maxAgeMs) this.#beat();
    if (this.#isLost) throw new Error(`${this.#file} is closed, or was taken over by another client`);
  }

  release(): void {
    clearInterval(this.#timer);
    this.#isLost = true;
    if (read(this.#path) === this.#content) rmSync(this.#path, { force: true });
  }

  #beat(): void {
    try {
      this.#isLost ||= !(renew(this.#path, this.#content) ?? this.#restore());
      this.#checkedAtMs = performance.now();
    } catch {
      // The next one may succeed.
    }
  }

  /** After a deletion by hand, between two steps of `removeStale`, or by another client that has taken it over and ended. */
  #restore(): boolean {
    return this.#isUntouched() && create(this.#path, this.#content);
  }
}

/** Lets the file system set the time of the lock. False when it has another owner, undefined when there is none. */
function renew(path: string, content: string): boolean | undefined {
  const descriptor = unlessMissing(() => openSync(path, "r+"));
  if (descriptor === undefined) return undefined;
  try {
    if (readFileSync(descriptor, "utf8") !== content) return false;
    const bytes = new TextEncoder().encode(content);
    // Deno ignores the position of a text.
    writeSync(descriptor, bytes, 0, bytes.length, 0);
    return true;
  } finally {
    closeSync(descriptor);
  }
}

/** False when the file exists. A created file has its content at once, where the file system has links. */
function create(path: string, content: string): boolean {
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, content, { flag: "wx" });
    return unlessExists(() => linkSync(draft, path));
  } catch (error) {
    if (!WITHOUT_LINKS.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return unlessExists(() => writeFileSync(path, content, { flag: "wx" }));
  } finally {
    rmSync(draft, { force: true });
  }
}

/** False when the file exists. */
function unlessExists(make: () => void): boolean {
  try {
    make();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Undefined when there is no file. */
function read(path: string): string | undefined {
  return unlessMissing(() => readFileSync(path, "utf8"));
}

function unlessMissing<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** False when the lock is held. Of several clients that find it stale, one removes it. */
function removeStale(path: string): boolean {
  const stale = read(path);
  if (stale === undefined) return true;
  if (isHeld(path, stale)) return false;
  const claimed = `${path}.${randomUUID()}`;
  try {
    renameSync(path, claimed);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return true;
    throw error;
  }
  const content = read(claimed);
  // Another client was faster, and this is its new lock: it gets it back.
  if (content !== undefined && content !== stale) create(path, content);
  rmSync(claimed, { force: true });
  return content === stale;
}

function isHeld(path: string, content: string): boolean {
  const owner = parsed(content);
  if (owner?.scope === ownScope()) {
    const start = startOf(owner.thread);
    if (start !== null) return start === owner.start;
    const isThreadEnded = startOf(String(owner.pid)) !== null;
    if (isThreadEnded || !isRunning(owner.pid)) return false;
  }
  const modifiedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Math.abs(fileSystemNowMs(path) - modifiedMs) < MAX_SILENCE_MS;
}

/** On a share, that of its server. */
function fileSystemNowMs(path: string): number {
  const probe = `${path}.${randomUUID()}`;
  try {
    writeFileSync(probe, "probe", { flag: "wx" });
    return statSync(probe).mtimeMs;
  } finally {
    rmSync(probe, { force: true });
  }
}

/** Undefined while the owner writes it, or after a crash at that moment. */
function parsed(content: string): Owner | undefined {
  try {
    const owner = JSON.parse(content) as Partial<Owner> | null;
    const isOwner = typeof owner?.pid === "number" && typeof owner.thread === "string";
    return isOwner ? (owner as Owner) : undefined;
  } catch {
    return undefined;
  }
}

function ownScope(): string {
  const boot = orEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const namespace = orEmpty(() => readlinkSync("/proc/self/ns/pid"));
  return [hostname(), boot, namespace].join(" ");
}

/** `PID/task/TID`; the process where the system does not show threads. */
function ownThread(): string {
  return orEmpty(() => readlinkSync("/proc/thread-self")) || String(process.pid);
}

/** When a thread or process started, in ticks since the boot; null where the system does not show it. */
function startOf(thread: string): string | null {
  const stat = orEmpty(() => readFileSync(`/proc/${thread}/stat`, "utf8"));
  // After the name in parentheses, which may contain spaces: the state is field 3, the start field 22.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return /[XZ]/.test(fields[0] ?? "") ? "ended" : (fields[22 - 3] ?? null);
}

function orEmpty(readText: () => string): string {
  try {
    return readText();
  } catch {
    return "";
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Anything else, such as Deno without the permission to ask, does not say that it has ended.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
