import type { Creative } from "../types/campaign.ts";
import { defineRule } from "./rule.ts";
import { quoted } from "./wording.ts";

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

export interface SessionFacts {
  /** Ads that the player session has had. */
  ads: number;
  maxAds: number;
  /** By creative id: appearances in this session; a missing creative has not appeared. */
  appearances: ReadonlyMap<string, number>;
  /** The game belongs to another account: what its players saw is confidential, and the session counts as new. */
  countsAsNew?: boolean;
}

export const capsRule = defineRule(
  {
    max_ads_per_session: { code: 501, meaning: "The player session has room for another ad." },
    max_uses_per_game: {
      code: 502,
      meaning: "An accepted creative has appearances left in the player session.",
    },
  },
  ({ accepted }: { accepted: readonly Creative[] }, session: SessionFacts | null) => {
    if (session === null) {
      const detail = "What the player session has seen is not known right now.";
      return { max_ads_per_session: [false, detail], max_uses_per_game: [false, detail] };
    }
    const { ads, maxAds, appearances, countsAsNew = false } = session;
    const left = creativesWithUsesLeft(accepted, appearances);
    return {
      max_ads_per_session: [
        sessionHasRoom(ads, maxAds),
        countsAsNew
          ? `The game belongs to another account: the player session counts as new and has had 0 of at most ${maxAds} ads.`
          : `The player session has had ${ads} of at most ${maxAds} ads.`,
      ],
      max_uses_per_game: [
        accepted.length === 0 || left.length > 0,
        accepted.length === 0
          ? "There is no accepted creative whose appearances could be counted."
          : left.length > 0
            ? `${left.length} of ${accepted.length} accepted creatives ${left.length === 1 ? "has" : "have"} appearances left: ${quoted(left.map((one) => one.creative_id))}.`
            : `${accepted.length === 1 ? "The only accepted creative has" : `All ${accepted.length} accepted creatives have`} appeared max_uses_per_game times in this player session.`,
      ],
    };
  },
);
