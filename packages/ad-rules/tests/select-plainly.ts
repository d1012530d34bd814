import { type CompiledCampaign, compileCampaign } from "../src/compiled/compiled-campaign.ts";
import { isEligible } from "../src/compiled/eligibility.ts";
import { prepareRequest } from "../src/compiled/prepared-request.ts";
import type { Candidate } from "../src/matching-index/candidate.ts";
import { isInTieBand, rankOf } from "../src/ranking/rank.ts";
import { creativesOfTypes } from "../src/rules/creative-type.ts";
import { affinityParts, affinityScore } from "../src/scoring/affinity-score.ts";
import type { Campaign } from "../src/types/campaign.ts";
import type { MatchScene } from "../src/types/request.ts";

/** All candidates in descending order of rank, found as semantics, Matching, tells it: every rule on every campaign. */
export function candidatesPlainly(campaigns: Iterable<Campaign>, scene: MatchScene): Candidate[] {
  const request = prepareRequest(scene);
  return [...campaigns]
    .map(compileCampaign)
    .filter((campaign) => isEligible(campaign, request))
    .map((campaign: CompiledCampaign) => {
      const score = affinityScore(campaign.affinities, request.context);
      return {
        campaign: campaign.source,
        creatives: creativesOfTypes(campaign.source.creatives, request.placementTypes),
        affinityScore: score,
        affinityParts: affinityParts(campaign.affinities, request.context).filter(
          (part) => part.contribution > 0,
        ),
        rank: rankOf(campaign.source.cpm_bid_cents, score),
      };
    })
    .sort((left, right) => right.rank - left.rank || byId(left.campaign, right.campaign));
}

export function tiesPlainly(candidates: readonly Candidate[]): Candidate[] {
  return candidates.filter((one) => isInTieBand(one.rank, candidates[0]?.rank ?? 0));
}

function byId(left: Campaign, right: Campaign): number {
  return left.campaign_id < right.campaign_id ? -1 : 1;
}
