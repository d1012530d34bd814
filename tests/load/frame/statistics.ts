import type { Metric } from "./suite.ts";

/** NaN for an empty list. */
export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** The smallest sample that at least `share` of all do not exceed; NaN for an empty list. */
export function quantile(samples: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(samples).sort();
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** Ratios per round: a disturbed round affects both sides alike. */
export function ratios(above: readonly number[], below: readonly number[]): number[] {
  return above.map((sample, round) => sample / (below[round] ?? Number.NaN));
}

/** @param samples one per round */
export function metric(
  facts: Pick<Metric, "id" | "label" | "unit" | "goal" | "note">,
  samples: readonly number[],
): Metric {
  if (samples.length === 0 || !samples.every(Number.isFinite)) {
    throw new Error(`${facts.id} was not measured: ${samples.join(", ")}`);
  }
  const lowest = Math.min(...samples);
  const highest = Math.max(...samples);
  return { ...facts, median: median(samples), lowest, highest, rounds: samples.length };
}
