import { level } from "./effects.ts";

/**
 * How much of each affinity a request misses, in a table small enough for the processor's cache. Terms that share a
 * bucket share the lowest value of them.
 */
const bucketCount = 1_024;

export function bucketOf(term: number): number {
  return term & (bucketCount - 1);
}

/** By bucket: missed halves of an affinity; initially all of it. */
export function allMissed(): Uint8Array {
  return new Uint8Array(bucketCount).fill(level.full);
}
