import {
  balanceLeft,
  type CampaignIndex,
  creativesWithUsesLeft,
  type MatchScene,
  type Ranked,
} from "@diegetic/ad-rules";
import type { SessionReader } from "@diegetic/hot-state";
import { priceMillicents } from "@diegetic/money";
import { coversImpression, readTotals, type TotalsReader } from "./money-totals.ts";

/** So many rivals are asked at once: few at first, because mostly one of the first can pay. */
const FIRST_BATCH = 16;
/** Maximum rivals read for one explanation. */
const MAX_RIVALS = 64;

/** What of the player session is the same for all campaigns. */
export interface SessionQuery {
  gameId: string;
  sessionKey: string;
  idleMs: number;
}

export interface RivalSources {
  index: CampaignIndex;
  wallets: TotalsReader;
  sessions: SessionReader;
}

/**
 * The highest rank among the other campaigns that pass rules 1 to 8 and have a creative left for the session; null when
 * there is none. When none of the `maxRivals` of highest rank can serve and there are more, the rank asked last stands
 * for them: none of the others has a higher one.
 */
export async function bestRivalRank(
  { index, wallets, sessions }: RivalSources,
  campaignId: string,
  scene: MatchScene,
  session: SessionQuery,
  maxRivals = MAX_RIVALS,
): Promise<number | null> {
  const asked = new Set([campaignId]);
  const purses = new Purses(wallets);
  let lastRank: number | null = null;
  let left = maxRivals;
  for (let batch = FIRST_BATCH; left > 0; batch *= 2) {
    const count = Math.min(batch, left);
    const rivals = index.highest(scene, count, { exclude: asked });
    const canServe = await Promise.all(
      rivals.map((rival) => isAllowed({ wallets, sessions, purses }, rival, scene, session)),
    );
    const best = rivals.find((_, place) => canServe[place]);
    if (best !== undefined) return best.rank;
    if (rivals.length < count) return null;
    for (const rival of rivals) asked.add(rival.campaign.campaign_id);
    lastRank = rivals.at(-1)?.rank ?? null;
    left -= count;
    // Rivals whose purse is known need no answer from Redis: let others have their turn all the same.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return lastRank;
}

/** What advertisers have left, each asked once in a request. */
class Purses {
  readonly #wallets: TotalsReader;
  readonly #left = new Map<string, Promise<number>>();

  constructor(wallets: TotalsReader) {
    this.#wallets = wallets;
  }

  /** In millicents; 0 while the wallet is being restored. */
  left(advertiserId: string): Promise<number> {
    const known = this.#left.get(advertiserId);
    if (known !== undefined) return known;
    const left = this.#wallets
      .readAccount(advertiserId)
      .then((account) => (account === null ? 0 : balanceLeft(account)));
    this.#left.set(advertiserId, left);
    return left;
  }
}

async function isAllowed(
  { wallets, sessions, purses }: { wallets: TotalsReader; sessions: SessionReader; purses: Purses },
  { campaign }: Ranked,
  { placement, nowMs }: MatchScene,
  session: SessionQuery,
): Promise<boolean> {
  const price = priceMillicents(campaign.cpm_bid_cents);
  if ((await purses.left(campaign.advertiser_id)) < price) return false;
  const creatives = campaign.creatives.filter((one) => placement.placement_types.includes(one.creative_type));
  const creativeIds = creatives.map((one) => one.creative_id);
  const [totals, { appearances }] = await Promise.all([
    readTotals(wallets, campaign, nowMs),
    sessions.read({ ...session, advertiserId: campaign.advertiser_id, creativeIds }),
  ]);
  return (
    coversImpression(totals, campaign.cpm_bid_cents) &&
    creativesWithUsesLeft(creatives, appearances).length > 0
  );
}
