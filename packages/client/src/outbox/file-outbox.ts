import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { resolve } from "node:path";
import { DEFAULT_OUTBOX_CAPACITY, type Outbox, type OutboxEntry } from "./outbox.ts";

/** Finished lines that may stand in the file before it is rewritten. */
const MAX_FINISHED_LINES = 1_000;

export interface FileOutboxOptions {
  /** One file per process. Its folder must exist. */
  path: string;
  /** Maximum impressions that wait. Default 10 000. */
  capacity?: number;
  /** Also survives a crash of the machine; each impression then waits for the disk. Default false. */
  fsync?: boolean;
}

type Line = { add: OutboxEntry } | { remove: string };

/** The locks of this process. */
const held = new Set<string>();

/** Impressions survive the process, in a file of JSON lines that is only appended to and rewritten when mostly finished. */
export class FileOutbox implements Outbox {
  readonly capacity: number;
  readonly isDurable = true;
  readonly #path: string;
  readonly #lockPath: string;
  readonly #fsync: boolean;
  readonly #entries: Map<string, OutboxEntry>;
  #descriptor: number;
  #finishedLines = 0;

  /** Throws when the file cannot be written or another process uses it. */
  constructor(options: FileOutboxOptions) {
    this.capacity = options.capacity ?? DEFAULT_OUTBOX_CAPACITY;
    this.#path = resolve(options.path);
    this.#lockPath = `${this.#path}.lock`;
    this.#fsync = options.fsync ?? false;
    lock(this.#lockPath, this.#path);
    try {
      this.#entries = readEntries(this.#path);
      this.#descriptor = this.#rewrite();
    } catch (error) {
      unlock(this.#lockPath);
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
    if (this.#finishedLines <= Math.max(MAX_FINISHED_LINES, this.#entries.size)) return;
    const previous = this.#descriptor;
    this.#descriptor = this.#rewrite();
    closeSync(previous);
  }

  close(): void {
    closeSync(this.#descriptor);
    unlock(this.#lockPath);
  }

  #append(line: Line): void {
    writeSync(this.#descriptor, `${JSON.stringify(line)}\n`);
    if (this.#fsync) fsyncSync(this.#descriptor);
  }

  /** Replaces the file in one step and opens it for appending. */
  #rewrite(): number {
    const lines = [...this.#entries.values()].map((entry) => `${JSON.stringify({ add: entry })}\n`);
    const next = `${this.#path}.next`;
    writeFileSync(next, lines.join(""), { flush: this.#fsync });
    renameSync(next, this.#path);
    this.#finishedLines = 0;
    return openSync(this.#path, "a");
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
      writeFileSync(lockPath, String(process.pid), { flag: "wx" });
      held.add(lockPath);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const pid = Number(readFileSync(lockPath, "utf8"));
      if (isLastTry || (pid === process.pid ? held.has(lockPath) : isRunning(pid))) {
        throw new Error(`${path} is used by process ${pid}; give each process a file of its own`);
      }
      rmSync(lockPath, { force: true });
    }
  }
}

function unlock(lockPath: string): void {
  held.delete(lockPath);
  rmSync(lockPath, { force: true });
}

/** False for what is no process id, such as an empty file's 0. */
function isRunning(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
