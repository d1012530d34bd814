import type { Affinity, Campaign, Creative } from "../src/types/campaign.ts";
import type { MatchScene } from "../src/types/request.ts";
import { isCandidate, shareOf } from "./plain-rules.ts";
import { same } from "./plain-texts.ts";

/**
 * Reference implementation of selection (docs/behaviour.md#matching), which applies every rule to every campaign. It
 * shares no code with the index and computes decimals as scaled integers, so that nothing is rounded.
 */

const million = 10n ** 6n;

/** A campaign that may serve, with the values of the response. */
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

/** A decimal number with at most twelve decimals. */
function exactly(number: number): bigint {
  return BigInt(number.toFixed(12).replace(".", ""));
}

/** A quotient rounded to the nearest integer, half up. */
function nearest(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}

/** bid × (2 − 1 ÷ (1 + score)) in millionths, the score and the factor each to six decimals. */
function rankPlainly(bidCents: number, score: bigint): bigint {
  return BigInt(bidCents) * (2n * million - nearest(million * million, million + nearest(score, million)));
}

/** Whether an equal affinity of the campaign counts instead, because it is heavier, or equally heavy and older. */
function isRepeated(affinities: readonly Affinity[], index: number): boolean {
  const own = affinities[index];
  if (own === undefined) return false;
  return affinities.some(
    (other, otherIndex) =>
      other.affinity_type === own.affinity_type &&
      same(other.affinity_value) === same(own.affinity_value) &&
      (other.weight > own.weight || (other.weight === own.weight && otherIndex < index)),
  );
}

function candidatePlainly(campaign: Campaign, scene: MatchScene): PlainCandidate {
  let score = 0n;
  const affinityParts: PlainCandidate["affinityParts"] = [];
  for (const [index, affinity] of campaign.affinities.entries()) {
    if (isRepeated(campaign.affinities, index)) continue;
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

/** All candidates in descending order of rank. */
export function candidatesPlainly(campaigns: Iterable<Campaign>, scene: MatchScene): PlainCandidate[] {
  return [...campaigns]
    .filter((campaign) => isCandidate(campaign, scene))
    .map((campaign) => candidatePlainly(campaign, scene))
    .sort((left, right) => right.rank - left.rank);
}

/** The candidates within 1 % of the highest rank, the edge included. @param candidates in descending order of rank */
export function tiesPlainly(candidates: readonly PlainCandidate[]): PlainCandidate[] {
  const highest = candidates[0]?.exactRank ?? 0n;
  return candidates.filter((one) => one.exactRank * 100n >= highest * 99n);
}

/** The value of the heaviest affinity of each kind that biases the scene; of equal weights the first. */
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

/** The reason for no match; session caps are not considered (docs/behaviour.md#reasons-for-no-match). */
export function reasonPlainly(
  campaigns: Iterable<Campaign>,
  scene: MatchScene,
  lackedMoney: boolean,
): "placement_disabled" | "no_campaigns" | "no_eligible_campaign" | "budget" {
  if (!scene.placement.is_active) return "placement_disabled";
  if (![...campaigns].some(({ status }) => status === "active")) return "no_campaigns";
  return lackedMoney ? "budget" : "no_eligible_campaign";
}
