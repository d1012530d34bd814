import { comparable, hasWord } from "@diegetic/ad-rules";
import {
  type AffinityBulkRequest,
  type AffinityCreate,
  affinityBulkRequest,
  affinityCreate,
  affinityWithoutWord,
  repeatedAffinity,
} from "@diegetic/contracts";

/** Types without a scene field: the narrative is searched for whole words (docs/behaviour.md#affinity-score). */
const SOUGHT_AS_WORDS: ReadonlySet<string> = new Set(["lighting", "effects", "camera"]);

/** Validates an affinity. Throws InvalidInput, also for a value that can never occur (docs/behaviour.md#whole-words). */
export function readAffinity(body: unknown): AffinityCreate {
  const affinity = affinityCreate(body);
  requireWord(affinity, "affinity_value");
  return affinity;
}

/** Validates the list of a bulk request in the same way. */
export function readAffinities(body: unknown): AffinityBulkRequest {
  const request = affinityBulkRequest(body);
  for (const [index, affinity] of request.affinities.entries()) {
    requireWord(affinity, `affinities[${index}].affinity_value`);
  }
  requireDistinct(request.affinities);
  return request;
}

/** Identity of an affinity: its type, and its value normalised as for matching. Duplicates would count twice. */
export function affinityIdentity(type: string, value: string): string {
  return `${type} ${comparable(value)}`;
}

function requireDistinct(affinities: readonly AffinityCreate[]): void {
  const firstIndexes = new Map<string, number>();
  for (const [index, { affinity_type, affinity_value }] of affinities.entries()) {
    const identity = affinityIdentity(affinity_type, affinity_value);
    const first = firstIndexes.get(identity);
    if (first !== undefined) throw repeatedAffinity.error(index, first);
    firstIndexes.set(identity, index);
  }
}

function requireWord({ affinity_type: type, affinity_value: value }: AffinityCreate, field: string): void {
  if (!SOUGHT_AS_WORDS.has(type) || hasWord(value)) return;
  throw affinityWithoutWord.error(field, type, value);
}
