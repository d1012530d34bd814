import { biasedPipeline, type Candidate, hookFor } from "@diegetic/ad-rules";
import type { MatchResponse, NoMatchReason } from "@diegetic/contracts";
import type { Answer } from "@diegetic/service-kit";

/** A match whose price is held. */
export interface HeldMatch {
  matchId: string;
  candidate: Candidate;
  creativeId: string;
  /** Earlier appearances of the creative in the session; selects the hook. */
  timesSeen: number;
}

export function toNoMatchAnswer(reason: NoMatchReason): Answer {
  return { status: 204, headers: { "X-No-Match-Reason": reason } };
}

export function toMatchAnswer(match: HeldMatch): Answer {
  const { campaign, creatives, affinityScore } = match.candidate;
  const creative = creatives.find((one) => one.creative_id === match.creativeId);
  if (creative === undefined) {
    throw new Error(`${match.creativeId} was reserved, but was not among the creatives of the candidate`);
  }
  const body: MatchResponse = {
    match_id: match.matchId,
    campaign_id: campaign.campaign_id,
    advertiser_id: campaign.advertiser_id,
    creative_id: creative.creative_id,
    narrative_hook: hookFor(creative, match.timesSeen),
    creative_type: creative.creative_type,
    brand_name: creative.brand_name,
    product_name: creative.product_name,
    tagline: creative.tagline,
    tone: creative.tone,
    biased_pipeline: { ...biasedPipeline(campaign.affinities) },
    affinity_score: affinityScore,
    cpm_bid_cents: campaign.cpm_bid_cents,
  };
  return { status: 200, body };
}
