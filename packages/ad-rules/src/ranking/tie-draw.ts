import { isInTieBand } from "./rank.ts";

/** What of a candidate decides the draw. */
export interface Contender {
  rank: number;
  campaign: { priority: number };
}

/**
 * Draws the winner among the candidates within 1 % of the highest rank, with weight priority + 1 (semantics: "Rank").
 * Returns its place in the list. `random01` is at least 0 and below 1. Throws RangeError when there are no candidates.
 */
export function drawWinner(candidates: readonly Contender[], random01: number): number {
  if (!(random01 >= 0 && random01 < 1)) throw new RangeError(`not at least 0 and below 1: ${random01}`);
  const highestRank = candidates.reduce(
    (highest, one) => Math.max(highest, one.rank),
    Number.NEGATIVE_INFINITY,
  );
  let totalWeight = 0;
  for (const one of candidates) totalWeight += weightOf(one, highestRank);
  let left = random01 * totalWeight;
  let drawn = -1;
  for (const [place, one] of candidates.entries()) {
    const weight = weightOf(one, highestRank);
    if (weight === 0) continue;
    drawn = place;
    left -= weight;
    if (left < 0) break;
  }
  if (drawn < 0) throw new RangeError("no candidates to draw from");
  return drawn;
}

function weightOf(candidate: Contender, highestRank: number): number {
  return isInTieBand(candidate.rank, highestRank) ? candidate.campaign.priority + 1 : 0;
}
