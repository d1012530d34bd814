import type { Creative } from "../types/campaign.ts";

/**
 * The line of a creative for a session that has been served it `timesSeen` times before: rotates over narrative_hook and
 * alt_hooks, so that a player does not read the same line twice in a row; without hooks the tagline, else the product
 * name, else the brand name (docs/behaviour.md#hook-rotation). A line that is listed twice counts once, whatever space surrounds it.
 */
export function hookFor(
  creative: Pick<Creative, "narrative_hook" | "alt_hooks" | "tagline" | "product_name" | "brand_name">,
  timesSeen: number,
): string {
  const lines = [creative.narrative_hook, ...creative.alt_hooks].filter(isLine);
  const bare = lines.map((line) => line.trim());
  const hooks = lines.filter((_, place) => bare.indexOf(bare[place] ?? "") === place);
  const hook = hooks[timesSeen % hooks.length];
  if (hook !== undefined) return hook;
  return [creative.tagline, creative.product_name].find(isLine) ?? creative.brand_name;
}

function isLine(text: string | null): text is string {
  return text !== null && text.trim() !== "";
}
