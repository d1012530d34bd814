import type { Cents } from "@diegetic/money";

/** Scores, factors and ranks are counted in millionths, so that equal ranks are equal numbers. */
const MILLION = 1_000_000;

/**
 * What candidates are ordered by, the highest first: cpm_bid_cents × (1 + score ÷ (1 + score)) (docs/behaviour.md#rank).
 * The factor is 2 − 1 ÷ (1 + score): it grows with the score, and no weight takes it beyond 2.
 *
 * The score counts to six decimals, and so does the factor. From there on everything is a whole number: the quotient below
 * divides 10^12 by a whole number, and what a double rounds off is far less than its distance from any half that it does
 * not hit, so that the rounding is exact. The rank is that number, at most 2 × 10^6 × the bid, divided by 10^6 once: equal
 * numbers stay equal, different ones stay different, and 99 of them stay below 2^53, for every bid up to 10^7.
 *
 * @param affinityScore at least 0
 */
export function rankOf(cpmBidCents: Cents, affinityScore: number): number {
  return (cpmBidCents * factorOf(affinityScore)) / MILLION;
}

/**
 * The lowest bid whose rank ties with the highest of others, or exceeds it, whether or not such a bid is allowed.
 *
 * Exact: both numbers are whole and below 2^53, and a quotient that is no whole number differs from the nearest one by at
 * least 1 ÷ factor, far more than a double rounds off.
 *
 * @param affinityScore at least 0
 */
export function lowestTyingBid(highestRank: number, affinityScore: number): Cents {
  return Math.ceil(Math.round(lowestTie(highestRank) * MILLION) / factorOf(affinityScore));
}

/** In millionths, a whole number. */
function factorOf(affinityScore: number): number {
  const onePlusScore = MILLION + Math.round(affinityScore * MILLION);
  return 2 * MILLION - Math.round((MILLION * MILLION) / onePlusScore);
}

/** Ranks within 1 % of the highest are a tie, the edge included (docs/behaviour.md#rank). */
export function isInTieBand(rank: number, highestRank: number): boolean {
  return rank >= lowestTie(highestRank);
}

/** The lowest rank that ties with the highest, itself a whole number of millionths. */
export function lowestTie(highestRank: number): number {
  return Math.ceil((Math.round(highestRank * MILLION) * 99) / 100) / MILLION;
}
