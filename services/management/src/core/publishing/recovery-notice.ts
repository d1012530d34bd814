import { UNAVAILABLE_SERVER } from "@diegetic/hot-state";

/** The state of Redis at one check. */
export interface RedisSeen {
  /** Of all its servers, from `masterReplicationIds`. */
  replicationIds: readonly string[];
  /** The snapshot must be published before anything is served. */
  needsRebuild: boolean;
}

/** Log messages; docs/operating.md#redis says what to do about each. */
export const NOTICES = {
  unavailable: "redis server unavailable",
  recovered: "redis servers recovered",
  restarted: "redis restarted or promoted, wallets are verified",
  lost: "redis lost data, which Postgres replaces",
} as const;

/** What a round has to do about the servers. */
export interface ServersFound {
  /** Undefined: the servers that answer are unchanged. */
  notice: "restarted" | "lost" | undefined;
  /** Replication ids with verified wallets once that is done. */
  verified: readonly string[];
}

/**
 * Compares the servers of Redis with those with verified wallets. A server that does not answer is not a new server: if
 * it returns with the same replication id it has lost nothing, otherwise it was restarted (ADR 12).
 */
export function compareServers(before: readonly string[], now: RedisSeen): ServersFound {
  const answering = now.replicationIds.filter((replicationId) => replicationId !== UNAVAILABLE_SERVER);
  const isComplete = answering.length === now.replicationIds.length;
  if (answering.every((replicationId) => before.includes(replicationId))) {
    return { notice: isComplete && now.needsRebuild ? "lost" : undefined, verified: before };
  }
  // Servers that do not answer may return unchanged.
  const verified = isComplete ? answering : [...new Set([...before, ...answering])].sort();
  return { notice: "restarted", verified };
}

/** Whether any server did not answer. */
export function isSomeUnavailable(replicationIds: readonly string[]): boolean {
  return replicationIds.includes(UNAVAILABLE_SERVER);
}
