import {
  type Affinity,
  affinityParts,
  affinityScore,
  type BiasedPipeline,
  biasedPipeline,
  type Creative,
  comparable,
  compileAffinities,
  hookFor,
  prepareContext,
} from "@diegetic/ad-rules";
import type { AffinityType } from "@diegetic/contracts";

/** The simulated scene; undefined fields are absent. */
export interface Scene {
  narrativeFunction?: string | undefined;
  mood?: string | undefined;
}

export interface Simulation {
  creative: Creative;
  /** The line that a session which has not seen the creative gets. */
  line: string;
  pipeline: BiasedPipeline;
  scores: Map<AffinityType, number>;
  totalScore: number;
}

/** The scene as a match request would describe it (docs/behaviour.md#simulator). */
function contextOf({ narrativeFunction, mood }: Scene) {
  return prepareContext({
    narrative: narrativeFunction ?? null,
    theme_id: narrativeFunction ?? null,
    location: narrativeFunction ?? null,
    actions: narrativeFunction === undefined ? [] : [narrativeFunction],
    mood_tags: mood === undefined ? [] : [mood],
  });
}

/**
 * Simulates a campaign in the scene with the scoring of a match. Both lists are oldest first. Uses the first creative
 * of the rotation, because a new session has seen none. Undefined: the campaign has no creative.
 */
export function simulate(
  campaign: { creatives: readonly Creative[]; affinities: readonly Affinity[] },
  scene: Scene,
): Simulation | undefined {
  const creative = campaign.creatives[0];
  if (creative === undefined) return undefined;
  const context = contextOf(scene);
  const compiled = compileAffinities(campaign.affinities);
  const types = new Set(campaign.affinities.map((affinity) => affinity.affinity_type));
  const scoreOfType = (type: AffinityType) =>
    affinityScore(
      compiled.filter(({ source }) => source.affinity_type === type),
      context,
    );
  return {
    creative,
    line: hookFor(creative, 0),
    pipeline: biasedPipeline(campaign.affinities),
    scores: new Map([...types].map((type) => [type, scoreOfType(type)])),
    totalScore: affinityScore(compiled, context),
  };
}

const MAX_OWN_EXAMPLES = 5;

const GENERAL_EXAMPLES = [
  "The heroes rest in a crowded tavern",
  "A chase through the night market",
  "A merchant shows her wares",
  "Old friends meet again at the harbour",
  "A storm closes in on the camp",
  "The last battle begins at dawn",
];

/** Example texts: first values of the campaign's own affinities that such a text fully satisfies, then generic scenes. */
export function narrativeExamples(affinities: readonly Affinity[]): string[] {
  const own = new Map<string, string>();
  for (const affinity of affinities) {
    const context = contextOf({ narrativeFunction: affinity.affinity_value });
    const [part] = affinityParts(compileAffinities([affinity]), context);
    if (part === undefined || part.contribution < affinity.weight) continue;
    const key = comparable(affinity.affinity_value);
    if (!own.has(key)) own.set(key, affinity.affinity_value);
  }
  return [...[...own.values()].slice(0, MAX_OWN_EXAMPLES), ...GENERAL_EXAMPLES];
}
