import { creativesOfTypes } from "../../rules/creative-type.ts";
import type { AffinityPart } from "../../scoring/affinity-score.ts";
import type { Campaign, Creative, CreativeType } from "../../types/campaign.ts";

/** A campaign that passes rules 1 to 7, with its rank. */
export interface Candidate {
  campaign: Campaign;
  /** The creatives that the placement accepts, oldest first; at least one. */
  creatives: Creative[];
  affinityScore: number;
  /** The affinities that contributed, in the order of the campaign. */
  affinityParts: AffinityPart[];
  rank: number;
}

/** @param contributions what each affinity contributes, in the order of the campaign's affinities */
export function candidateOf(
  campaign: Campaign,
  placementTypes: readonly CreativeType[],
  contributions: readonly number[],
  { affinityScore, rank }: { affinityScore: number; rank: number },
): Candidate {
  const affinityParts: AffinityPart[] = [];
  for (const [index, contribution] of contributions.entries()) {
    const affinity = campaign.affinities[index];
    if (affinity === undefined || !(contribution > 0)) continue;
    const { affinity_id, affinity_type, affinity_value } = affinity;
    affinityParts.push({ affinity_id, affinity_type, affinity_value, contribution });
  }
  const creatives = creativesOfTypes(campaign.creatives, placementTypes);
  return { campaign, creatives, affinityScore, affinityParts, rank };
}
