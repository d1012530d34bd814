import type { Cents } from "@diegetic/money";

/** Scores, factors and ranks are computed in millionths, so that equal ranks are equal numbers. */
const MILLION = 1_000_000;

/**
 * The rank of a candidate; the highest wins: cpm_bid_cents × (1 + score ÷ (1 + score)) (docs/behaviour.md#rank).
 * The factor equals 2 − 1 ÷ (1 + score): it grows with the score and never exceeds 2.
 *
 * The score and the factor are rounded to six decimals; everything after that is integer arithmetic. The quotient below
 * divides 10^12 by an integer. The rounding error of a double is far smaller than the distance to any half that the
 * quotient does not hit, so the rounding is exact. The rank is an integer of at most 2 × 10^6 × the bid, divided by 10^6
 * once. So equal ranks stay equal, different ones stay different, and 99 times the integer stays below 2^53 for every bid
 * up to 10^7.
 *
 * @param affinityScore at least 0
 */
export function rankOf(cpmBidCents: Cents, affinityScore: number): number {
  return (cpmBidCents * factorOf(affinityScore)) / MILLION;
}

/**
 * The lowest bid whose rank ties with or exceeds `highestRank`. It may be outside the allowed range of bids.
 *
 * Exact: both operands are integers below 2^53, and a fractional quotient differs from the nearest integer by at least
 * 1 ÷ factor, which is far above the rounding error of a double.
 *
 * @param affinityScore at least 0
 */
export function lowestTyingBid(highestRank: number, affinityScore: number): Cents {
  return Math.ceil(Math.round(lowestTie(highestRank) * MILLION) / factorOf(affinityScore));
}

/** In millionths; an integer. */
function factorOf(affinityScore: number): number {
  const onePlusScore = MILLION + Math.round(affinityScore * MILLION);
  return 2 * MILLION - Math.round((MILLION * MILLION) / onePlusScore);
}

/** Ranks within 1 % of the highest tie, the edge included (docs/behaviour.md#rank). */
export function isInTieBand(rank: number, highestRank: number): boolean {
  return rank >= lowestTie(highestRank);
}

/** The lowest rank that ties with the highest; an integer number of millionths. */
export function lowestTie(highestRank: number): number {
  return Math.ceil((Math.round(highestRank * MILLION) * 99) / 100) / MILLION;
}
