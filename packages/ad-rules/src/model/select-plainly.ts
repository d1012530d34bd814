import { type CompiledCampaign, compileCampaign } from "../candidates/compiled-campaign.ts";
import { prepareRequest } from "../candidates/prepared-request.ts";
import type { Selection, SelectionRequest } from "../candidates/select-candidates.ts";
import { isInTieBand, rankOf } from "../ranking/rank.ts";
import { creativesOfTypes } from "../rules/creative-type.ts";
import { isEligible } from "../rules/eligibility.ts";
import { affinityParts, affinityScore } from "../scoring/affinity-score.ts";
import type { Campaign } from "../types/campaign.ts";

/**
 * What `selectCandidates` answers, found as semantics, Matching, tells it: every rule on every campaign. The index must
 * agree with it in every case; it is what tests hold the index against.
 */
export function selectPlainly(campaigns: Iterable<Campaign>, selection: SelectionRequest): Selection {
  const request = prepareRequest(selection);
  const compiled = [...campaigns].map(compileCampaign);
  const eligible = compiled.filter((campaign) => isEligible(campaign, request));
  const candidates = eligible
    .filter((campaign) => !selection.skip?.(campaign.source))
    .map((campaign) => {
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
  const last = candidates[selection.limit - 1];
  return {
    candidates:
      last === undefined ? candidates : candidates.filter((one) => isInTieBand(one.rank, last.rank)),
    highestRank: candidates[0]?.rank ?? null,
    noneActive: !compiled.some(isActive),
    allSkipped: candidates.length === 0 && eligible.length > 0,
  };
}

function isActive({ source }: CompiledCampaign): boolean {
  return source.status === "active";
}

function byId(left: Campaign, right: Campaign): number {
  return left.campaign_id < right.campaign_id ? -1 : 1;
}
