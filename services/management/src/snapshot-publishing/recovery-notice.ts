/** Instead of the lineage of a server that does not answer. */
const AWAY = "away";

/** What a look at Redis has shown. */
export interface RedisSeen {
  /** Of all its servers, as `masterLineages` tells them. */
  lineages: readonly string[];
  /** The snapshot has to be published before anything is served. */
  needsRebuild: boolean;
}

export const NOTICES = {
  away: "Redis does not answer, or one of its servers: what lives there is neither served nor charged until it answers. See that it runs and is reached.",
  back: "All servers of Redis answer again",
  restarted:
    "A server of Redis was restarted, replaced or promoted: it is verified against Postgres now, and serves when that is done. Nothing has to be done.",
  lost: "Redis lost data while it ran, or went back to older data: what is missing is made anew from Postgres now. Find out what removed it: FLUSHALL, an eviction policy, a restored file.",
} as const;

/** What a round has to do about the servers that it has found. */
export interface ServersFound {
  /** Undefined: they are as they were left, as far as they answer. */
  notice: "restarted" | "lost" | undefined;
  /** Whose slots are verified when that is done. */
  verified: readonly string[];
}

/**
 * Compares the servers of Redis with those whose slots are verified. One that does not answer is no other one: when it answers
 * again with the same lineage it has forgotten nothing, and when it has another it was restarted (ADR 12).
 */
export function compareServers(before: readonly string[], now: RedisSeen): ServersFound {
  const present = now.lineages.filter((lineage) => lineage !== AWAY);
  const isComplete = present.length === now.lineages.length;
  if (present.every((lineage) => before.includes(lineage))) {
    return { notice: isComplete && now.needsRebuild ? "lost" : undefined, verified: before };
  }
  // Those that do not answer may come back as they were.
  const verified = isComplete ? present : [...new Set([...before, ...present])].sort();
  return { notice: "restarted", verified };
}

/** Whether some server did not answer. */
export function isSomeAway(lineages: readonly string[]): boolean {
  return lineages.includes(AWAY);
}
