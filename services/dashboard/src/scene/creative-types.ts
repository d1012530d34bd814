import type { BodyOf } from "../api/operations.ts";

export type CreativeType = BodyOf<"POST /campaigns/{campaign_id}/creatives">["creative_type"];

/** The types of ads that advertisers write and games accept. */
export const CREATIVE_TYPES: readonly { value: CreativeType; label: string; description: string }[] = [
  {
    value: "narrative_hook",
    label: "Narrative hook",
    description: "A line of dialogue or narration.",
  },
  {
    value: "product_mention",
    label: "Product mention",
    description: "A product that is named in passing.",
  },
  {
    value: "location_brand",
    label: "Location brand",
    description: "A place in the game that carries the brand.",
  },
  {
    value: "character_reference",
    label: "Character reference",
    description: "A character who uses or speaks of the brand.",
  },
];
