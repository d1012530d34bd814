import type { Creative } from "./use-campaign.ts";

type Lines = "narrative_hook" | "alt_hooks" | "tagline" | "product_name" | "brand_name";

/** By which people know a creative: what a player reads first, or its brand where it has no line. */
export function firstLine({
  narrative_hook: hook,
  alt_hooks: others,
  tagline,
  product_name: product,
  brand_name: brand,
}: Pick<Creative, Lines>): string {
  return hook ?? others[0] ?? tagline ?? product ?? brand;
}
