import type { Affinity, Campaign, Creative } from "../src/types/campaign.ts";
import type { MatchScene } from "../src/types/request.ts";
import { isCandidate, shareOf } from "./plain-rules.ts";
import { same } from "./plain-texts.ts";

/**
 * Selection as in docs/behaviour.md#matching, every rule on every campaign: what the index has to agree with. It shares
 * nothing with the code that it scores; decimals are counted in whole parts, so that nothing is rounded.
 */

const million = 10n ** 6n;

/** A campaign that may serve, with what the answer would say. */
export interface PlainCandidate {
  campaign: Campaign;
  creatives: Creative[];
  affinityScore: number;
  affinityParts: {
    affinity_id: string;
    affinity_type: string;
    affinity_value: string;
    contribution: number;
  }[];
  rank: number;
  /** The rank in millionths. */
  exactRank: bigint;
}

/** A decimal number of at most twelve places. */
function exactly(number: number): bigint {
  return BigInt(number.toFixed(12).replace(".", ""));
}

/** A quotient to the nearest whole number; halves go up. */
function nearest(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}

/** bid × (2 − 1 ÷ (1 + score)) in millionths, the score and the factor each to six decimals. */
function rankPlainly(bidCents: number, score: bigint): bigint {
  return BigInt(bidCents) * (2n * million - nearest(million * million, million + nearest(score, million)));
}

/** Whether another affinity of the campaign counts in its place: the same, but heavier, or as heavy and older. */
function isRepeated(affinities: readonly Affinity[], place: number): boolean {
  const own = affinities[place];
  if (own === undefined) return false;
  return affinities.some(
    (other, otherPlace) =>
      other.affinity_type === own.affinity_type &&
      same(other.affinity_value) === same(own.affinity_value) &&
      (other.weight > own.weight || (other.weight === own.weight && otherPlace < place)),
  );
}

function candidatePlainly(campaign: Campaign, scene: MatchScene): PlainCandidate {
  let score = 0n;
  const affinityParts: PlainCandidate["affinityParts"] = [];
  for (const [place, affinity] of campaign.affinities.entries()) {
    if (isRepeated(campaign.affinities, place)) continue;
    const exact = (exactly(affinity.weight) * BigInt(shareOf(affinity, scene.context) * 2)) / 2n;
    score += exact;
    if (exact === 0n) continue;
    const { affinity_id, affinity_type, affinity_value } = affinity;
    affinityParts.push({ affinity_id, affinity_type, affinity_value, contribution: Number(exact) / 1e12 });
  }
  const exactRank = rankPlainly(campaign.cpm_bid_cents, score);
  return {
    campaign,
    creatives: campaign.creatives.filter((one) =>
      scene.placement.placement_types.includes(one.creative_type),
    ),
    affinityScore: Number(score) / 1e12,
    affinityParts,
    rank: Number(exactRank) / 1e6,
    exactRank,
  };
}

/** All candidates, the highest rank first. */
export function candidatesPlainly(campaigns: Iterable<Campaign>, scene: MatchScene): PlainCandidate[] {
  return [...campaigns]
    .filter((campaign) => isCandidate(campaign, scene))
    .map((campaign) => candidatePlainly(campaign, scene))
    .sort((left, right) => right.rank - left.rank);
}

/** Those within 1 % of the highest rank, the edge included. `candidates`: the highest first. */
export function tiesPlainly(candidates: readonly PlainCandidate[]): PlainCandidate[] {
  const highest = candidates[0]?.exactRank ?? 0n;
  return candidates.filter((one) => one.exactRank * 100n >= highest * 99n);
}

/** The value of the heaviest affinity of each kind that biases the scene; the first one of equal weights. */
export function pipelinePlainly(campaign: Campaign): Record<string, string> {
  const pipeline: Record<string, string> = {};
  for (const type of ["lighting", "effects", "camera", "mood", "location"]) {
    const [heaviest] = campaign.affinities
      .filter((one) => one.affinity_type === type)
      .sort((left, right) => right.weight - left.weight);
    if (heaviest !== undefined) pipeline[type] = heaviest.affinity_value;
  }
  return pipeline;
}

/** Why nobody is served, as far as the campaigns and the placement tell (docs/behaviour.md#reasons-for-no-match). */
export function reasonPlainly(
  campaigns: Iterable<Campaign>,
  scene: MatchScene,
  lackedMoney: boolean,
): "placement_disabled" | "no_campaigns" | "no_eligible_campaign" | "budget" {
  if (!scene.placement.is_active) return "placement_disabled";
  if (![...campaigns].some(({ status }) => status === "active")) return "no_campaigns";
  return lackedMoney ? "budget" : "no_eligible_campaign";
}
