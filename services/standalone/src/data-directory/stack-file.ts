import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processIdentity } from "@diegetic/local-stores";

export interface StackProcess {
  name: string;
  pid: number;
  /** Start time, by which another process with the same pid is distinguished; absent: the process has ended. */
  identity?: string | undefined;
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

/**
 * Undefined: no stack is ready in this data directory, or the machine stopped before the file was on disk. The file of a
 * killed stack remains.
 */
export function readStackFile(dataDir: string): StackDescription | undefined {
  try {
    return JSON.parse(readFileSync(stackFile(dataDir), "utf8")) as StackDescription;
  } catch (error) {
    const isAbsent = ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
    if (isAbsent || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The processes of a killed stack that still run. */
export function leftoverPids(dataDir: string): number[] {
  const { processes = [] } = readStackFile(dataDir) ?? {};
  return processes
    .filter(({ pid, identity }) => identity !== undefined && processIdentity(pid) === identity)
    .map(({ pid }) => pid);
}

function stackFile(dataDir: string): string {
  return join(dataDir, "stack.json");
}
