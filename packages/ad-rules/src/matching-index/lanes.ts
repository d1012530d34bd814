import { level } from "./effects.ts";

/**
 * How much of its affinities a request misses, in a small table that stays close at hand however many terms there are: a
 * lane is shared by several terms, and on it counts what is missed least.
 */
const laneCount = 1_024;

/** The lane of a term. */
export function laneOf(term: number): number {
  return term & (laneCount - 1);
}

/** By lane: how many halves of an affinity are missed. */
export function allMissed(): Uint8Array {
  return new Uint8Array(laneCount).fill(level.full);
}
