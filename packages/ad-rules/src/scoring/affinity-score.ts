import type { PreparedContext } from "../context/prepared-context.ts";
import { comparable } from "../text/equality.ts";
import { occurs, type Phrase, phrase } from "../text/words.ts";
import type { Affinity, AffinityType } from "../types/campaign.ts";

/** An affinity in two forms: for comparing, and for searching the narrative. */
export interface CompiledAffinity {
  source: Affinity;
  value: string;
  phrase: Phrase | null;
  /** The full contribution: the weight of the source, or 0 when another affinity of the same type and value counts. */
  weight: number;
}

/** The contribution of one affinity to the score. */
export interface AffinityPart extends Omit<Affinity, "weight"> {
  contribution: number;
}

/** Share of the weight for a value that does not equal its field but occurs in the narrative. */
const narrativeShare = 0.5;

/** Of these, a context has one value. */
const singleValueTypes: ReadonlySet<AffinityType> = new Set(["category", "location", "theme"]);

/**
 * Normalises the values once, for all requests; keeps the order. Of affinities with the same type and value only the
 * heaviest counts, of equal weights the oldest: campaigns that predate the check for duplicates may have them.
 */
export function compileAffinities(affinities: readonly Affinity[]): CompiledAffinity[] {
  const compiled = affinities.map((source) => ({
    source,
    value: comparable(source.affinity_value),
    phrase: phrase(source.affinity_value),
    weight: source.weight,
  }));
  const counted = new Map<string, CompiledAffinity>();
  for (const one of compiled) {
    const key = `${one.source.affinity_type} ${one.value}`;
    const other = counted.get(key);
    const isHeavier = other === undefined || one.weight > other.weight;
    if (isHeavier) counted.set(key, one);
    const repeated = isHeavier ? other : one;
    if (repeated !== undefined) repeated.weight = 0;
  }
  return compiled;
}

/** The contribution of each affinity in the order of the list, zeros included (docs/behaviour.md#affinity-score). */
export function affinityParts(
  affinities: readonly CompiledAffinity[],
  context: PreparedContext,
): AffinityPart[] {
  return affinities.map((affinity) => ({
    affinity_id: affinity.source.affinity_id,
    affinity_type: affinity.source.affinity_type,
    affinity_value: affinity.source.affinity_value,
    contribution: contributionOf(affinity, context),
  }));
}

/** The sum of all contributions (docs/behaviour.md#affinity-score). */
export function affinityScore(affinities: readonly CompiledAffinity[], context: PreparedContext): number {
  let sum = 0;
  for (const affinity of affinities) sum += contributionOf(affinity, context);
  return withoutRoundingError(sum);
}

/**
 * An upper bound of the score in any context. Of types of which a context has one value, it counts one value in full, and
 * the others with the share for an occurrence in the narrative.
 */
export function highestAffinityScore(affinities: readonly CompiledAffinity[]): number {
  const heaviest = new Map<AffinityType, CompiledAffinity>();
  for (const one of affinities) {
    const { affinity_type: type } = one.source;
    if (one.weight > (heaviest.get(type)?.weight ?? 0)) heaviest.set(type, one);
  }
  let sum = 0;
  for (const one of affinities) {
    const { affinity_type: type } = one.source;
    if (!singleValueTypes.has(type) || heaviest.get(type) === one) sum += one.weight;
    else if (type !== "category") sum += one.weight * narrativeShare;
  }
  return withoutRoundingError(sum);
}

/** Rounds a sum of decimal fractions to twelve decimals, so that 0.1 + 0.2 is 0.3. */
export function withoutRoundingError(sum: number): number {
  return Math.round(sum * 1e12) / 1e12;
}

function contributionOf(
  { source, value, phrase: sought, weight }: CompiledAffinity,
  context: PreparedContext,
): number {
  switch (source.affinity_type) {
    case "category":
      return value === context.category ? weight : 0;
    case "lighting":
    case "effects":
    case "camera":
      return occurs(sought, context.narrative) ? weight : 0;
    default:
      if (isNamed(source.affinity_type, value, context)) return weight;
      return occurs(sought, context.narrative) ? weight * narrativeShare : 0;
  }
}

function isNamed(
  type: "action" | "location" | "theme" | "mood",
  value: string,
  context: PreparedContext,
): boolean {
  switch (type) {
    case "action":
      return context.actions.has(value);
    case "location":
      return value === context.location;
    case "theme":
      return value === context.theme;
    case "mood":
      return context.moods.has(value);
  }
}
