import { UNAVAILABLE_SERVER } from "@diegetic/hot-state";

/** What a look at Redis has shown. */
export interface RedisSeen {
  /** Of all its servers, as `masterReplicationIds` tells them. */
  replicationIds: readonly string[];
  /** The snapshot has to be published before anything is served. */
  needsRebuild: boolean;
}

export const NOTICES = {
  unavailable:
    "Redis does not answer, or one of its servers: what lives there is neither served nor charged until it answers. See that it runs and is reached.",
  recovered: "All servers of Redis answer again",
  restarted:
    "A server of Redis was restarted, replaced or promoted: it is verified against Postgres now, and serves when that is done. Nothing has to be done.",
  lost: "Redis lost data while it ran, or went back to older data: what is missing is made anew from Postgres now. Find out what removed it: FLUSHALL, an eviction policy, a restored file.",
} as const;

/** What a round has to do about the servers that it has found. */
export interface ServersFound {
  /** Undefined: they are as they were left, as far as they answer. */
  notice: "restarted" | "lost" | undefined;
  /** Whose wallets are verified when that is done. */
  verified: readonly string[];
}

/**
 * Compares the servers of Redis with those whose wallets are verified. One that does not answer is no other one: when it answers
 * again with the same replication id it has forgotten nothing, and when it has another it was restarted (ADR 12).
 */
export function compareServers(before: readonly string[], now: RedisSeen): ServersFound {
  const present = now.replicationIds.filter((replicationId) => replicationId !== UNAVAILABLE_SERVER);
  const isComplete = present.length === now.replicationIds.length;
  if (present.every((replicationId) => before.includes(replicationId))) {
    return { notice: isComplete && now.needsRebuild ? "lost" : undefined, verified: before };
  }
  // Those that do not answer may come back as they were.
  const verified = isComplete ? present : [...new Set([...before, ...present])].sort();
  return { notice: "restarted", verified };
}

/** Whether some server did not answer. */
export function isSomeUnavailable(replicationIds: readonly string[]): boolean {
  return replicationIds.includes(UNAVAILABLE_SERVER);
}
