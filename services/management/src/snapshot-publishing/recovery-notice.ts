/** What a look at Redis has shown. */
export interface RedisSeen {
  /** Of all its servers, as `masterLineages` tells them. */
  lineages: readonly string[];
  /** The snapshot has to be published before anything is served. */
  needsRebuild: boolean;
}

export const NOTICES = {
  away: "A server of Redis is not reached: what lives on it is neither served nor charged until it is back. See why it is away.",
  restarted:
    "A server of Redis was restarted, replaced or promoted: it is verified against Postgres now, and serves when that is done. Nothing has to be done.",
  lost: "Redis lost data while it ran, or went back to older data: what is missing is made anew from Postgres now. Find out what removed it: FLUSHALL, an eviction policy, a restored file.",
} as const;

/** What an operator is told when a round finds Redis not as the last one left it. Undefined: nothing is to be done. */
export function recoveryNotice(before: readonly string[], now: RedisSeen): keyof typeof NOTICES | undefined {
  const sameServers = before.join() === now.lineages.join();
  if (sameServers) return now.needsRebuild ? "lost" : undefined;
  return now.lineages.includes("away") ? "away" : "restarted";
}
