import type { CampaignIndex, Search } from "../matching-index/campaign-index.ts";
import type { Found, Matcher } from "../matching-index/matcher.ts";
import { creativesOfTypes } from "../rules/creative-type.ts";
import type { AffinityPart } from "../scoring/affinity-score.ts";
import type { Campaign, Creative } from "../types/campaign.ts";
import type { GameContext, Placement, PlayerGeo } from "../types/request.ts";
import { type PreparedRequest, prepareRequest } from "./prepared-request.ts";

/** A campaign that passes rules 1 to 7, with its rank. */
export interface Candidate {
  campaign: Campaign;
  /** The creatives that the placement accepts, oldest first; at least one. */
  creatives: Creative[];
  affinityScore: number;
  /** The affinities that contributed, in their order. */
  affinityParts: AffinityPart[];
  rank: number;
}

/** What a match request asks of the index. */
export interface SelectionRequest {
  placement: Placement;
  context: GameContext;
  /** Absent or null: the player's place is unknown. */
  geo?: PlayerGeo | null;
  /** Unix milliseconds. */
  nowMs: number;
  /** How many draws the caller will make at most. */
  limit: number;
  /** Campaigns to leave out though they are eligible, such as those just refused for lack of money. */
  skip?: (campaign: Campaign) => boolean;
}

/** The candidates, and what the reason for a 204 needs. */
export interface Selection extends Search {
  candidates: Candidate[];
  /** No campaign has the status active at all. */
  noneActive: boolean;
}

/**
 * The candidates of a match request (semantics: Matching 1 to 7, "Affinity score", "Rank"), in descending order of rank:
 * as many as `limit`, and all further ones that could take part in one of `limit` draws, each after the winner of the one
 * before was taken out: those within 1 % of the last.
 */
export function selectCandidates(index: CampaignIndex, selection: SelectionRequest): Selection {
  const request = prepareRequest(selection);
  const { results, ...search } = index.select(request, selection, candidatesFor(request));
  return { ...search, candidates: results, noneActive: index.activeCount === 0 };
}

/**
 * Up to `limit` candidates in the order in which to try them: each is drawn from those within 1 % of the highest rank
 * that is left, with weight priority + 1 (semantics: "Rank"). The same chances as `drawWinner` gives among
 * `selectCandidates`, in a time that many ties do not prolong. `random` yields numbers at least 0 and below 1.
 */
export function drawCandidates(
  index: CampaignIndex,
  selection: SelectionRequest,
  random: () => number,
): Selection {
  const request = prepareRequest(selection);
  return drawPrepared(index, request, selection, random);
}

/** `drawCandidates` for a request that is prepared already. */
export function drawPrepared(
  index: CampaignIndex,
  request: PreparedRequest,
  options: Pick<SelectionRequest, "limit" | "skip">,
  random: () => number,
): Selection {
  const { results, ...search } = index.draw(request, options, random, candidatesFor(request));
  return { ...search, candidates: results, noneActive: index.activeCount === 0 };
}

/** The rank to beat: the highest among the other candidates; null when there are none (semantics: "Explain"). */
export function highestOtherRank(
  index: CampaignIndex,
  campaignId: string,
  selection: Omit<SelectionRequest, "limit" | "skip">,
): number | null {
  const skip = (campaign: Campaign) => campaign.campaign_id === campaignId;
  return index.draw(
    prepareRequest(selection),
    { limit: 1, skip },
    () => 0,
    () => null,
  ).highestRank;
}

function candidatesFor({ placementTypes }: PreparedRequest) {
  return (found: Found, { affinities }: Matcher): Candidate => {
    const { campaign, tenant, score, rank } = found;
    const affinityParts: AffinityPart[] = [];
    if (score > 0) {
      for (const [place, affinity] of campaign.affinities.entries()) {
        const contribution = affinities.contributionOf(tenant.affinities, place);
        if (!(contribution > 0)) continue;
        const { affinity_id, affinity_type, affinity_value } = affinity;
        affinityParts.push({ affinity_id, affinity_type, affinity_value, contribution });
      }
    }
    const creatives = creativesOfTypes(campaign.creatives, placementTypes);
    return { campaign, creatives, affinityScore: score, affinityParts, rank };
  };
}
