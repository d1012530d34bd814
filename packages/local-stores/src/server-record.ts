import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processIdentity, stopStrayProcess } from "./process.ts";

const FILE_NAME = "server.json";

interface ServerRecord {
  pid: number;
  identity: string;
}

/** Records in the data directory which process serves it, so that a later start finds a leftover server. */
export function writeServerRecord(dir: string, pid: number): void {
  const identity = processIdentity(pid);
  if (identity === undefined) return;
  const record: ServerRecord = { pid, identity };
  writeFileSync(join(dir, FILE_NAME), JSON.stringify(record));
}

export function removeServerRecord(dir: string): void {
  rmSync(join(dir, FILE_NAME), { force: true });
}

/** Stops a server that still runs in this data directory although the process that started it has ended. */
export async function stopLeftoverServer(dir: string): Promise<void> {
  const record = readServerRecord(dir);
  if (record !== undefined && processIdentity(record.pid) === record.identity) {
    await stopStrayProcess(record.pid, "SIGTERM");
  }
  removeServerRecord(dir);
}

function readServerRecord(dir: string): ServerRecord | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(dir, FILE_NAME), "utf8"));
    if (typeof value !== "object" || value === null) return undefined;
    const { pid, identity } = value as Partial<ServerRecord>;
    return typeof pid === "number" && typeof identity === "string" ? { pid, identity } : undefined;
  } catch {
    return undefined;
  }
}
