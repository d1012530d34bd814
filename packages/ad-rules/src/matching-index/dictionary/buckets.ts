import { level } from "./effects.ts";

/**
 * How much of its affinities a request misses, in a small table that stays close at hand however many terms there are: a
 * bucket is shared by several terms, and on it counts what is missed least.
 */
const bucketCount = 1_024;

/** The bucket of a term. */
export function bucketOf(term: number): number {
  return term & (bucketCount - 1);
}

/** By bucket: how many halves of an affinity are missed. */
export function allMissed(): Uint8Array {
  return new Uint8Array(bucketCount).fill(level.full);
}
