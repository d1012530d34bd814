import type { RedisConnection } from "./connection.ts";
import { askMasters } from "./masters.ts";

/** Stands for the replication id of a server that does not answer. */
export const UNAVAILABLE_SERVER = "unavailable";

/**
 * Replication ids of the masters behind a connection, sorted. A changed list means that a server was restarted,
 * replaced, promoted or added: wallets on it must be verified. An unreachable server is `UNAVAILABLE_SERVER`.
 */
export async function masterReplicationIds(redis: RedisConnection): Promise<string[]> {
  const reports = await askMasters(redis, (master) => master.info("replication"));
  return reports.map((report) => /^master_replid:(\S+)/m.exec(report)?.[1] ?? UNAVAILABLE_SERVER).sort();
}
