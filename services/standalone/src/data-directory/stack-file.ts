import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface StackProcess {
  name: string;
  pid: number;
  /** Null: a store, which has no metrics of its own. */
  metricsUrl: string | null;
}

/** What a running stack tells tools and tests about itself, as `DATA_DIR/stack.json`. */
export interface StackDescription {
  baseUrl: string;
  managementUrl: string;
  matchUrls: string[];
  databaseUrl: string;
  redisUrl: string;
  processes: StackProcess[];
}

/** Replaces the file in one step, so that a reader never sees half of it. The addresses hold passwords. */
export function writeStackFile(dataDir: string, description: StackDescription): void {
  const file = stackFile(dataDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(description, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function removeStackFile(dataDir: string): void {
  rmSync(stackFile(dataDir), { force: true });
}

/** Undefined: no stack is ready in this data directory, or it was killed before it had written anything. */
export function readStackFile(dataDir: string): StackDescription | undefined {
  try {
    return JSON.parse(readFileSync(stackFile(dataDir), "utf8")) as StackDescription;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

function stackFile(dataDir: string): string {
  return join(dataDir, "stack.json");
}
