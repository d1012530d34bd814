import type { Creative } from "./use-campaign.ts";

type Lines = "narrative_hook" | "alt_hooks" | "tagline" | "product_name" | "brand_name";

/** The line that identifies a creative: the first that a player reads (docs/behaviour.md#hook-rotation). */
export function firstLine({
  narrative_hook: hook,
  alt_hooks: others,
  tagline,
  product_name: product,
  brand_name: brand,
}: Pick<Creative, Lines>): string {
  return hook ?? others[0] ?? tagline ?? product ?? brand;
}
