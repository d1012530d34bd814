import { isInTieBand, rankOf } from "../ranking/rank.ts";
import { creativesOfTypes } from "../rules/creative-type.ts";
import { isEligible } from "../rules/eligibility.ts";
import { type AffinityPart, affinityParts, affinityScore } from "../scoring/affinity-score.ts";
import type { Campaign, Creative } from "../types/campaign.ts";
import type { GameContext, Placement, PlayerGeo } from "../types/request.ts";
import type { CampaignIndex } from "./campaign-index.ts";
import type { CompiledCampaign } from "./compiled-campaign.ts";
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
export interface Selection {
  /**
   * In descending order of rank. As many as `limit`, and all further ones that could take part in one of `limit` draws,
   * each after the winner of the one before was taken out: those within 1 % of the last.
   */
  candidates: Candidate[];
  /** No campaign has the status active at all. */
  noneActive: boolean;
  /** An eligible campaign was left out by `skip`. */
  anySkipped: boolean;
}

interface Ranked {
  compiled: CompiledCampaign;
  score: number;
  rank: number;
}

/** The candidates of a match request (semantics: Matching 1 to 7, "Affinity score", "Rank"). */
export function selectCandidates(index: CampaignIndex, selection: SelectionRequest): Selection {
  const noneActive = index.activeCount === 0;
  if (noneActive || !selection.placement.is_active) return { candidates: [], noneActive, anySkipped: false };
  const request = prepareRequest(selection);
  const ranked: Ranked[] = [];
  const best = new HighestRanks(selection.limit);
  let anySkipped = false;
  for (const compiled of index.byReach()) {
    if (!isInTieBand(compiled.highestRank, best.lowest)) break;
    if (!isEligible(compiled, request)) continue;
    if (selection.skip?.(compiled.source)) {
      anySkipped = true;
      continue;
    }
    const score = affinityScore(compiled.affinities, request.context);
    const rank = rankOf(compiled.source.cpm_bid_cents, score);
    if (!isInTieBand(rank, best.lowest)) continue;
    best.add(rank);
    ranked.push({ compiled, score, rank });
  }
  const candidates = ranked
    .filter(({ rank }) => isInTieBand(rank, best.lowest))
    .sort((left, right) => right.rank - left.rank || byId(left.compiled, right.compiled))
    .map((one) => candidateOf(one, request));
  return { candidates, noneActive, anySkipped };
}

function candidateOf({ compiled, score, rank }: Ranked, request: PreparedRequest): Candidate {
  return {
    campaign: compiled.source,
    creatives: creativesOfTypes(compiled.source.creatives, request.placementTypes),
    affinityScore: score,
    affinityParts: affinityParts(compiled.affinities, request.context).filter(
      (part) => part.contribution > 0,
    ),
    rank,
  };
}

function byId(left: CompiledCampaign, right: CompiledCampaign): number {
  return left.source.campaign_id < right.source.campaign_id ? -1 : 1;
}

/** The few highest of the ranks added. */
class HighestRanks {
  readonly #limit: number;
  /** Ascending. */
  readonly #ranks: number[] = [];

  constructor(limit: number) {
    if (!(limit >= 1)) throw new RangeError(`limit is below 1: ${limit}`);
    this.#limit = limit;
  }

  /** The lowest of them; −∞ while there are fewer than the limit. */
  get lowest(): number {
    return this.#ranks.length < this.#limit ? Number.NEGATIVE_INFINITY : (this.#ranks[0] ?? 0);
  }

  add(rank: number): void {
    if (rank <= this.lowest) return;
    const place = this.#ranks.findIndex((other) => other > rank);
    this.#ranks.splice(place < 0 ? this.#ranks.length : place, 0, rank);
    if (this.#ranks.length > this.#limit) this.#ranks.shift();
  }
}
