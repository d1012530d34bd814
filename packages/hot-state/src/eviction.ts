import type { RedisConnection } from "./connection.ts";
import { mastersOf } from "./masters.ts";

/**
 * Eviction policies other than `noeviction` of the servers behind a connection: such a server drops money and caps when
 * its memory is full. Empty: none.
 */
export async function evictionPolicies(redis: RedisConnection): Promise<string[]> {
  const reports = await Promise.all(mastersOf(redis).map((master) => master.info("memory")));
  const policies = reports.map((report) => /^maxmemory_policy:(\S+)/m.exec(report)?.[1] ?? "unknown");
  return [...new Set(policies)].filter((policy) => policy !== "noeviction");
}
