import type { Affinity } from "../types/campaign.ts";

const overrides = ["lighting", "effects", "camera", "mood", "location"] as const;

/** Overrides for the scene renderer by kind; kinds without an affinity are absent. */
export type BiasedPipeline = Partial<Record<(typeof overrides)[number], string>>;

/**
 * For each of lighting, effects, camera, mood and location: the value of the heaviest affinity of that type. Of equal
 * weights the older one wins, which is earlier in the list (docs/behaviour.md#pipeline-overrides).
 */
export function biasedPipeline(
  affinities: readonly Pick<Affinity, "affinity_type" | "affinity_value" | "weight">[],
): BiasedPipeline {
  const pipeline: BiasedPipeline = {};
  for (const type of overrides) {
    let heaviest: (typeof affinities)[number] | undefined;
    for (const affinity of affinities) {
      if (affinity.affinity_type === type && affinity.weight > (heaviest?.weight ?? 0)) heaviest = affinity;
    }
    if (heaviest !== undefined) pipeline[type] = heaviest.affinity_value;
  }
  return pipeline;
}
