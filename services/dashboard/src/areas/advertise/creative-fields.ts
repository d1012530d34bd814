import type { BodyOf } from "../../api/operations.ts";
import { numberLimits } from "../../api/use-field-problems.ts";

export const CREATE = "POST /campaigns/{campaign_id}/creatives";

/** Of the appearances of a creative in one player session. */
export const USES = numberLimits(CREATE, "max_uses_per_game");

/** What the fields of a creative are called. */
export const CREATIVE_LABELS = {
  brand_name: "Brand",
  narrative_hook: "Line",
  alt_hooks: "Alternative lines",
  product_name: "Product",
  tone: "Tone",
  tagline: "Tagline",
  max_uses_per_game: "Most appearances in one player session",
} as const satisfies Partial<Record<keyof BodyOf<"PATCH /creatives/{creative_id}">, string>>;
