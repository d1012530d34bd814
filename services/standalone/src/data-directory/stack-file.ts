import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface StackProcess {
  name: string;
  pid: number;
  /** Null for stores, which serve no metrics. */
  metricsUrl: string | null;
}

/** `DATA_DIR/stack.json`: describes a running stack to tools and tests. */
export interface StackDescription {
  baseUrl: string;
  managementUrl: string;
  matchUrls: string[];
  databaseUrl: string;
  redisUrl: string;
  processes: StackProcess[];
}

/** Replaces the file atomically, so that readers never see a partial file. The addresses contain passwords. */
export function writeStackFile(dataDir: string, description: StackDescription): void {
  const file = stackFile(dataDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(description, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function removeStackFile(dataDir: string): void {
  rmSync(stackFile(dataDir), { force: true });
}

/** Undefined: no stack is ready in this data directory. The file of a killed stack remains. */
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
