import { Cluster } from "ioredis";
import type { RedisConnection } from "./connection.ts";
import { isRedisUnavailable } from "./redis-unavailable.ts";

/** Stands for the replication id of a server that does not answer. */
export const UNAVAILABLE_SERVER = "unavailable";

/**
 * Replication ids of the masters behind a connection, sorted. A changed list means that a server was restarted,
 * replaced, promoted or added: wallets on it must be verified. An unreachable server is `UNAVAILABLE_SERVER`.
 */
export async function masterReplicationIds(redis: RedisConnection): Promise<string[]> {
  const nodes = redis instanceof Cluster ? redis.nodes("master") : [redis];
  const reports = await Promise.all(
    nodes.map((node) =>
      node.info("replication").catch((error: unknown) => {
        if (isRedisUnavailable(error)) return "";
        throw error;
      }),
    ),
  );
  return reports.map((report) => /^master_replid:(\S+)/m.exec(report)?.[1] ?? UNAVAILABLE_SERVER).sort();
}
