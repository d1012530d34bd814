import type { Cents } from "@diegetic/money";

/** What candidates are ordered by, the highest first: cpm_bid_cents × (1 + affinity_score) (docs/behaviour.md#rank). */
export function rankOf(cpmBidCents: Cents, affinityScore: number): number {
  return Math.round(cpmBidCents * (1 + affinityScore) * 1e9) / 1e9;
}

/** Ranks within 1 % of the highest are a tie, the edge included (docs/behaviour.md#rank). */
export function isInTieBand(rank: number, highestRank: number): boolean {
  return rank >= lowestTie(highestRank);
}

/** The lowest rank that ties with the highest. */
export function lowestTie(highestRank: number): number {
  // The tolerance keeps an edge in that is out by nothing but floating point.
  return highestRank * 0.99 * (1 - 1e-12);
}
