import { type CampaignIndex, creativesWithUsesLeft, type MatchScene, type Ranked } from "@diegetic/ad-rules";
import type { SessionReader } from "@diegetic/hot-state";
import { coversImpression, readTotals, type TotalsReader } from "./money-totals.ts";

/** So many rivals are asked at once, and in all: of more than these nobody knows who can pay. */
const BATCH = 16;
export const MOST_RIVALS = 128;

/** What of the player session is the same for all campaigns. */
export interface SessionAsked {
  gameId: string;
  sessionKey: string;
  idleMs: number;
}

/**
 * The highest rank among the other campaigns that pass rules 1 to 8 and have a creative left for the session; null when
 * there is none among the MOST_RIVALS that rank highest.
 */
export async function bestRivalRank(
  { index, slots, sessions }: { index: CampaignIndex; slots: TotalsReader; sessions: SessionReader },
  campaignId: string,
  scene: MatchScene,
  session: SessionAsked,
): Promise<number | null> {
  const asked = new Set([campaignId]);
  while (asked.size <= MOST_RIVALS) {
    const rivals = index.highest(scene, BATCH, { exclude: asked });
    for (const rival of rivals) asked.add(rival.campaign.campaign_id);
    const canServe = await Promise.all(
      rivals.map((rival) => isAllowed({ slots, sessions }, rival, scene, session)),
    );
    const best = rivals.find((_, place) => canServe[place]);
    if (best !== undefined) return best.rank;
    if (rivals.length < BATCH) return null;
  }
  return null;
}

async function isAllowed(
  { slots, sessions }: { slots: TotalsReader; sessions: SessionReader },
  { campaign }: Ranked,
  { placement, nowMs }: MatchScene,
  session: SessionAsked,
): Promise<boolean> {
  const creatives = campaign.creatives.filter((one) => placement.placement_types.includes(one.creative_type));
  const creativeIds = creatives.map((one) => one.creative_id);
  const [totals, { appearances }] = await Promise.all([
    readTotals(slots, campaign, nowMs),
    sessions.read({ ...session, advertiserId: campaign.advertiser_id, creativeIds }),
  ]);
  return (
    coversImpression(totals, campaign.cpm_bid_cents) &&
    creativesWithUsesLeft(creatives, appearances).length > 0
  );
}
