import { Cluster } from "ioredis";
import type { RedisConnection } from "./connection.ts";
import { isRedisUnavailable } from "./redis-unavailable.ts";

/**
 * The histories of writes that the masters behind a connection stand in, sorted. Another list means that some server was
 * restarted, replaced or promoted, or that one was added: wallets on it have to be verified. One that is not reached is `away`.
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
  return reports.map((report) => /^master_replid:(\S+)/m.exec(report)?.[1] ?? "away").sort();
}
