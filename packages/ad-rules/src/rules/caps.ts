import type { Creative } from "../types/campaign.ts";

/** Rule 9, first half: fewer than max_ads_per_session ads in this player session (docs/behaviour.md#rule-9-caps). */
export function sessionHasRoom(adsInSession: number, maxAdsPerSession: number): boolean {
  return adsInSession < maxAdsPerSession;
}

/**
 * Rule 9, second half: the creatives with fewer than max_uses_per_game appearances in this player session. A creative
 * without an entry has not appeared (docs/behaviour.md#rule-9-caps).
 */
export function creativesWithUsesLeft(
  creatives: readonly Creative[],
  appearances: ReadonlyMap<string, number>,
): Creative[] {
  return creatives.filter((one) => (appearances.get(one.creative_id) ?? 0) < one.max_uses_per_game);
}
