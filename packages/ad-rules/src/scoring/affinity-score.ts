import type { PreparedContext } from "../context/prepared-context.ts";
import { comparable } from "../text/equality.ts";
import { occurs, type Phrase, phrase } from "../text/words.ts";
import type { Affinity, AffinityType } from "../types/campaign.ts";

/** An affinity as it is compared, and as it is sought in the narrative. */
export interface CompiledAffinity {
  source: Affinity;
  value: string;
  phrase: Phrase | null;
}

/** What one affinity adds to the score. */
export interface AffinityPart {
  affinity_id: string;
  affinity_type: AffinityType;
  affinity_value: string;
  contribution: number;
}

/** A value that is not equal to its field, but occurs in the narrative, counts half. */
export const narrativeShare = 0.5;

/** Normalises the values once, for all requests; keeps the order. */
export function compileAffinities(affinities: readonly Affinity[]): CompiledAffinity[] {
  return affinities.map((source) => ({
    source,
    value: comparable(source.affinity_value),
    phrase: phrase(source.affinity_value),
  }));
}

/** What each affinity contributes, in the order of the list, zeros included (docs/behaviour.md#affinity-score). */
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

/** The sum of what the affinities contribute (docs/behaviour.md#affinity-score). */
export function affinityScore(affinities: readonly CompiledAffinity[], context: PreparedContext): number {
  let sum = 0;
  for (const affinity of affinities) sum += contributionOf(affinity, context);
  return withoutDust(sum);
}

/**
 * A score that no context exceeds: every positive weight, but of the types of which a context names one value only those
 * of one value, and of the other values what a narrative earns them.
 */
export function highestAffinityScore(affinities: readonly CompiledAffinity[]): number {
  const heaviest = { category: "", location: "", theme: "" };
  for (const type of ["category", "location", "theme"] as const) {
    if (!affinities.some(({ source }) => source.affinity_type === type)) continue;
    const weights = new Map<string, number>();
    for (const { source, value } of affinities) {
      if (source.affinity_type !== type || source.weight <= 0) continue;
      const weight = (weights.get(value) ?? 0) + source.weight;
      weights.set(value, weight);
      if (weight > (weights.get(heaviest[type]) ?? 0)) heaviest[type] = value;
    }
  }
  let sum = 0;
  for (const { source, value } of affinities) {
    const { affinity_type: type, weight } = source;
    if (weight <= 0) continue;
    if (type === "category") sum += value === heaviest.category ? weight : 0;
    else if (type === "location" || type === "theme") {
      sum += value === heaviest[type] ? weight : weight * narrativeShare;
    } else sum += weight;
  }
  return withoutDust(sum);
}

/** A sum of decimal fractions as people would write it: 0.1 + 0.2 is 0.3. Twelve decimals are kept. */
export function withoutDust(sum: number): number {
  return Math.round(sum * 1e12) / 1e12;
}

function contributionOf(
  { source, value, phrase: sought }: CompiledAffinity,
  context: PreparedContext,
): number {
  switch (source.affinity_type) {
    case "category":
      return value === context.category ? source.weight : 0;
    case "lighting":
    case "effects":
    case "camera":
      return occurs(sought, context.narrative) ? source.weight : 0;
    default:
      if (isNamed(source.affinity_type, value, context)) return source.weight;
      return occurs(sought, context.narrative) ? source.weight * narrativeShare : 0;
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
