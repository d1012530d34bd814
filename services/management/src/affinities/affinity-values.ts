import { phrase } from "@diegetic/ad-rules";
import {
  type AffinityBulkRequest,
  type AffinityCreate,
  affinityBulkRequest,
  affinityCreate,
  InvalidInput,
  shown,
} from "@diegetic/contracts";

/** Have no field in a scene: they are sought in the narrative as whole words (docs/behaviour.md#affinity-score). */
const SOUGHT_AS_WORDS: ReadonlySet<string> = new Set(["lighting", "effects", "camera"]);

/** The affinity that a body names. Throws InvalidInput, also for a value that could never occur (docs/behaviour.md#whole-words). */
export function readAffinity(body: unknown): AffinityCreate {
  const affinity = affinityCreate(body);
  requireWord(affinity, "affinity_value");
  return affinity;
}

/** The same for the list of a bulk request. */
export function readAffinities(body: unknown): AffinityBulkRequest {
  const request = affinityBulkRequest(body);
  for (const [place, affinity] of request.affinities.entries()) {
    requireWord(affinity, `affinities[${place}].affinity_value`);
  }
  return request;
}

function requireWord({ affinity_type: type, affinity_value: value }: AffinityCreate, field: string): void {
  if (!SOUGHT_AS_WORDS.has(type) || phrase(value) !== null) return;
  throw new InvalidInput(
    400,
    `${field} of ${type === "effects" ? "an" : "a"} ${type} affinity must contain a letter or a digit, but ${shown(value)} was sent`,
  );
}
