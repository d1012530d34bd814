import { balanceLeft, type CampaignIndex, creativesWithUsesLeft, type Ranked } from "@diegetic/ad-rules";
import type { SessionReader } from "@diegetic/hot-state";
import { priceMillicents } from "@diegetic/money";
import { coversImpression, type OwnedScene, readTotals, type TotalsReader } from "./money-totals.ts";

/** Size of the first batch of concurrent reads: small, because one of the first rivals can usually pay. */
const FIRST_BATCH = 16;
/** Maximum rivals read for one explanation. */
const MAX_RIVALS = 64;

/** The parts of a player session that all campaigns share. */
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
 * there is none. If none of the `maxRivals` highest can serve, returns the rank of the next one: an upper bound for those
 * that are not read.
 */
export async function bestRivalRank(
  { index, wallets, sessions }: RivalSources,
  campaignId: string,
  scene: OwnedScene,
  session: SessionQuery,
  maxRivals = MAX_RIVALS,
): Promise<number | null> {
  const excluded = new Set([campaignId]);
  const readFunds = fundsReader(wallets);
  let left = maxRivals;
  for (let batch = FIRST_BATCH; left > 0; batch *= 2) {
    const count = Math.min(batch, left);
    const rivals = index.highest(scene, count, { exclude: excluded });
    const canServe = await Promise.all(
      rivals.map((rival) => isAllowed({ wallets, sessions, readFunds }, rival, scene, session)),
    );
    const best = rivals.find((_, i) => canServe[i]);
    if (best !== undefined) return best.rank;
    if (rivals.length < count) return null;
    for (const rival of rivals) excluded.add(rival.campaign.campaign_id);
    left -= count;
    // Known funds need no answer from Redis, so yield to the event loop explicitly.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return index.highest(scene, 1, { exclude: excluded })[0]?.rank ?? null;
}

/** An advertiser's remaining money in millicents; 0 while the wallet is being restored. */
type FundsReader = (advertiserId: string) => Promise<number>;

/** Reads each advertiser's money once. */
function fundsReader(wallets: TotalsReader): FundsReader {
  const known = new Map<string, Promise<number>>();
  return (advertiserId) => {
    const read = async () => {
      const account = await wallets.readAccount(advertiserId);
      return account === null ? 0 : balanceLeft(account);
    };
    const funds = known.get(advertiserId) ?? read();
    known.set(advertiserId, funds);
    return funds;
  };
}

async function isAllowed(
  { wallets, sessions, readFunds }: Omit<RivalSources, "index"> & { readFunds: FundsReader },
  { campaign }: Ranked,
  scene: OwnedScene,
  session: SessionQuery,
): Promise<boolean> {
  const price = priceMillicents(campaign.cpm_bid_cents);
  if ((await readFunds(campaign.advertiser_id)) < price) return false;
  const creatives = campaign.creatives.filter((one) =>
    scene.placement.placement_types.includes(one.creative_type),
  );
  const creativeIds = creatives.map((one) => one.creative_id);
  const [totals, { appearances }] = await Promise.all([
    readTotals(wallets, campaign, scene),
    sessions.read({ ...session, advertiserId: campaign.advertiser_id, creativeIds }),
  ]);
  return (
    coversImpression(totals, campaign.cpm_bid_cents) &&
    creativesWithUsesLeft(creatives, appearances).length > 0
  );
}
