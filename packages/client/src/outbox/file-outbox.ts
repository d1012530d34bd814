import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { resolve } from "node:path";
import { DEFAULT_OUTBOX_CAPACITY, type Outbox, type OutboxEntry } from "./outbox.ts";

/** Finished lines that may stand in the file before it is rewritten. */
const MAX_FINISHED_LINES = 1_000;
/** A lock without a process id is left from a crash when it is older. */
const WRITING_MS = 10_000;
/** Times of the same start that were computed at different moments differ by less. */
const SAME_START_MS = 1_000;

export interface FileOutboxOptions {
  /** One file per process. Its folder must exist. */
  path: string;
  /** Maximum impressions that wait. Default 10 000. */
  capacity?: number;
  /** Also survives a crash of the machine; each impression then waits for the disk. Default false. */
  fsync?: boolean;
}

type Line = { add: OutboxEntry } | { remove: string };

/** Impressions survive the process, in a file of JSON lines that is only appended to and rewritten when mostly finished. */
export class FileOutbox implements Outbox {
  readonly capacity: number;
  readonly isDurable = true;
  readonly #path: string;
  readonly #lockPath: string;
  readonly #fsync: boolean;
  readonly #entries: Map<string, OutboxEntry>;
  /** Undefined when the file could not be opened again after it was replaced. */
  #descriptor: number | undefined;
  #finishedLines = 0;
  /** A write failed: the file may end within a line, or lack entries. */
  #isDamaged = false;

  /** Throws when the file cannot be written or another process uses it. */
  constructor(options: FileOutboxOptions) {
    this.capacity = options.capacity ?? DEFAULT_OUTBOX_CAPACITY;
    this.#path = resolve(options.path);
    this.#lockPath = `${this.#path}.lock`;
    this.#fsync = options.fsync ?? false;
    lock(this.#lockPath, this.#path);
    try {
      this.#entries = readEntries(this.#path);
      this.#rewrite();
    } catch (error) {
      rmSync(this.#lockPath, { force: true });
      throw error;
    }
  }

  load(): Promise<OutboxEntry[]> {
    return Promise.resolve([...this.#entries.values()]);
  }

  add(entry: OutboxEntry): void {
    this.#entries.set(entry.match_id, entry);
    this.#append({ add: entry });
  }

  remove(matchId: string): void {
    if (!this.#entries.delete(matchId)) return;
    this.#finishedLines += 2;
    this.#append({ remove: matchId });
    if (this.#finishedLines > Math.max(MAX_FINISHED_LINES, this.#entries.size)) this.#rewrite();
  }

  close(): void {
    try {
      this.#closeFile();
    } finally {
      rmSync(this.#lockPath, { force: true });
    }
  }

  #closeFile(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor !== undefined) closeSync(descriptor);
  }

  #append(line: Line): void {
    const wasDamaged = this.#isDamaged;
    this.#isDamaged = true;
    this.#descriptor ??= openSync(this.#path, "a");
    // Repeats writes until every byte is written.
    writeFileSync(this.#descriptor, `${wasDamaged ? "\n" : ""}${JSON.stringify(line)}\n`);
    if (this.#fsync) fsyncSync(this.#descriptor);
    if (wasDamaged) this.#rewrite();
    else this.#isDamaged = false;
  }

  /** Replaces the file in one step and opens it for appending. */
  #rewrite(): void {
    this.#isDamaged = true;
    const lines = [...this.#entries.values()].map((entry) => `${JSON.stringify({ add: entry })}\n`);
    const next = `${this.#path}.next`;
    try {
      writeFileSync(next, lines.join(""), { flush: this.#fsync });
      // Windows replaces no open file.
      this.#closeFile();
      renameSync(next, this.#path);
    } catch (error) {
      rmSync(next, { force: true });
      throw error;
    }
    this.#finishedLines = 0;
    this.#isDamaged = false;
    this.#descriptor = openSync(this.#path, "a");
  }
}

function readEntries(path: string): Map<string, OutboxEntry> {
  const entries = new Map<string, OutboxEntry>();
  if (!existsSync(path)) return entries;
  for (const text of readFileSync(path, "utf8").split("\n")) {
    const { add, remove } = parsed(text);
    if (typeof add?.match_id === "string") entries.set(add.match_id, add);
    else if (remove !== undefined) entries.delete(remove);
  }
  return entries;
}

/** Empty for a line that a crash cut off, or that is something else. */
function parsed(text: string): { add?: OutboxEntry | null; remove?: string } {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/** Two processes on one file would overwrite each other's impressions. */
function lock(lockPath: string, path: string): void {
  for (const isLastTry of [false, true]) {
    try {
      writeFileSync(lockPath, `${process.pid} ${startedMs()}`, { flag: "wx" });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (isLastTry || isHeld(lockPath)) {
        throw new Error(`${path} is used by another client; give each process a file of its own`);
      }
      rmSync(lockPath, { force: true });
    }
  }
}

/** When this process started, Unix milliseconds: in a container, its id is that of the process before. */
function startedMs(): number {
  return Math.round(Date.now() - process.uptime() * 1_000);
}

function isHeld(lockPath: string): boolean {
  const [pid = 0, itsStartMs = 0] = readFileSync(lockPath, "utf8").split(" ").map(Number);
  // The owner may still be writing its id.
  if (!(pid > 0)) return Date.now() - statSync(lockPath).mtimeMs < WRITING_MS;
  return pid === process.pid ? Math.abs(itsStartMs - startedMs()) < SAME_START_MS : isRunning(pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
