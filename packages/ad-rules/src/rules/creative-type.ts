import type { Creative, CreativeType } from "../types/campaign.ts";

/** Rule 3: the creatives whose type is in placement_types; a campaign needs at least one (docs/behaviour.md#rule-3-creative-type). */
export function creativesOfTypes(
  creatives: readonly Creative[],
  placementTypes: readonly CreativeType[],
): Creative[] {
  return creatives.filter((creative) => placementTypes.includes(creative.creative_type));
}
