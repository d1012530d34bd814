import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { FileLock } from "./file-lock.ts";
import { checkedCapacity, type Outbox, type OutboxEntry } from "./outbox.ts";

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

/** Impressions survive the process, in a file of JSON lines that is only appended to and rewritten when mostly finished. */
export class FileOutbox implements Outbox {
  readonly capacity: number;
  readonly isDurable = true;
  readonly #path: string;
  readonly #lock: FileLock;
  readonly #fsync: boolean;
  readonly #entries: Map<string, OutboxEntry>;
  /** Undefined when the file could not be opened again after it was replaced. */
  #descriptor: number | undefined;
  #finishedLines = 0;
  /** A write failed: the file may end within a line, or lack entries. */
  #isDamaged = false;
  /** A crash of the machine may bring back the file that was replaced. */
  #isFolderSynced = false;

  /** Throws when the file cannot be written or another process uses it. */
  constructor(options: FileOutboxOptions) {
    this.capacity = checkedCapacity(options.capacity);
    this.#path = resolve(options.path);
    this.#fsync = options.fsync ?? false;
    this.#lock = new FileLock(this.#path, { isUntouched: () => this.#isOwnFile() });
    try {
      this.#entries = readEntries(this.#path);
      this.#rewrite();
    } catch (error) {
      ignoringErrors(() => this.close());
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
      this.#lock.release();
    }
  }

  #closeFile(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor !== undefined) closeSync(descriptor);
  }

  /** Another client replaces the file when it opens it. */
  #isOwnFile(): boolean {
    if (this.#descriptor === undefined) return true;
    const [own, named] = [fstatSync(this.#descriptor), statSync(this.#path, { throwIfNoEntry: false })];
    return own.ino === named?.ino && own.dev === named.dev;
  }

  #append(line: Line): void {
    this.#lock.ensureHeld();
    const wasDamaged = this.#isDamaged;
    this.#isDamaged = true;
    this.#descriptor ??= openSync(this.#path, "a");
    // Repeats writes until every byte is written.
    writeFileSync(this.#descriptor, `${wasDamaged ? "\n" : ""}${JSON.stringify(line)}\n`);
    if (this.#fsync) fsyncSync(this.#descriptor);
    if (wasDamaged) this.#rewrite();
    else this.#isDamaged = false;
    this.#syncFolder();
  }

  /** Replaces the file in one step and opens it for appending. */
  #rewrite(): void {
    this.#lock.ensureHeld(0);
    this.#isDamaged = true;
    const lines = [...this.#entries.values()].map((entry) => `${JSON.stringify({ add: entry })}\n`);
    const next = `${this.#path}.next`;
    try {
      writeFileSync(next, lines.join(""), { flush: this.#fsync });
      // Windows replaces no open file.
      this.#closeFile();
      renameSync(next, this.#path);
    } catch (error) {
      ignoringErrors(() => rmSync(next, { force: true }));
      throw error;
    }
    this.#finishedLines = 0;
    this.#isDamaged = false;
    this.#isFolderSynced = false;
    this.#descriptor = openSync(this.#path, "a");
    this.#syncFolder();
  }

  #syncFolder(): void {
    if (!this.#fsync || this.#isFolderSynced) return;
    syncFolder(dirname(this.#path));
    this.#isFolderSynced = true;
  }
}

/** Clears up after an error, which is the one to throw. */
function ignoringErrors(act: () => void): void {
  try {
    act();
  } catch {}
}

/** Keeps the new name of a file when the machine crashes. Windows has no such call. */
function syncFolder(path: string): void {
  if (process.platform === "win32") return;
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function readEntries(path: string): Map<string, OutboxEntry> {
  const entries = new Map<string, OutboxEntry>();
  if (!existsSync(path)) return entries;
  for (const text of readFileSync(path, "utf8").split("\n")) {
    const { add, remove } = parsed(text);
    if (isEntry(add)) entries.set(add.match_id, add);
    else if (typeof remove === "string") entries.delete(remove);
  }
  return entries;
}

function isEntry(add: unknown): add is OutboxEntry {
  const { match_id, campaign_id, creative_id, game_id, recorded_at_ms } = (add ?? {}) as Partial<OutboxEntry>;
  const areIds = [match_id, campaign_id, creative_id, game_id].every((id) => typeof id === "string");
  return areIds && Number.isFinite(recorded_at_ms);
}

/** Empty for a line that a crash cut off, or that is something else. */
function parsed(text: string): { add?: unknown; remove?: unknown } {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
