/**
 * Ads of an advertiser that a player session got more than half of its idle time ago, so that the wallet's counts of them may
 * have expired. Null: none.
 */
export interface EarlierAds {
  matchIds: readonly string[];
  /** When the first of them was admitted. Unix milliseconds. */
  sinceMs: number;
}

/**
 * Whether caps counted since `capSinceMs` belong to an earlier session than the one that began at `sessionStartedMs`: the rule
 * of `is_cap_stale` in the scripts. If so, the caller cancels its hold, if any, and reserves again with the session's start.
 */
export function isCapStale(
  capSinceMs: number | null,
  sessionStartedMs: number,
  sessionIdleMs: number,
): boolean {
  return capSinceMs !== null && capSinceMs < sessionStartedMs - sessionIdleMs / 2;
}

/**
 * Whether the counts of the session's earlier ads have expired: the rule of `is_cap_lost` in the scripts. If so, the caller
 * cancels its hold and reserves again with the earlier ads.
 */
export function isCapLost(
  capSinceMs: number | null,
  earlier: EarlierAds | null,
  sessionIdleMs: number,
): boolean {
  return capSinceMs !== null && earlier !== null && capSinceMs > earlier.sinceMs + sessionIdleMs / 2;
}
