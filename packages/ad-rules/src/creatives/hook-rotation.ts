import type { Creative } from "../types/campaign.ts";

/** Parts of a creative, as far as they are written: a creative being edited lacks some. */
type Texts = {
  [Part in "narrative_hook" | "alt_hooks" | "tagline" | "product_name" | "brand_name"]?:
    | Creative[Part]
    | null;
};

export interface OrderedLine {
  line: string;
  source: keyof Texts;
}

/**
 * The lines in the order in which a player session reads them, at least one: narrative_hook, then alt_hooks; without
 * hooks the tagline, else the product name, else the brand name (docs/behaviour.md#hook-rotation). A line that is listed
 * twice counts once, whatever space surrounds it.
 */
export function hookOrder(creative: Texts): OrderedLine[] {
  const { narrative_hook: hook, alt_hooks: others, tagline, product_name, brand_name } = creative;
  const lines = [
    ...(isLine(hook) ? [{ line: hook, source: "narrative_hook" as const }] : []),
    ...(others ?? []).filter(isLine).map((line) => ({ line, source: "alt_hooks" as const })),
  ];
  const bare = lines.map(({ line }) => line.trim());
  const hooks = lines.filter((_, index) => bare.indexOf(bare[index] ?? "") === index);
  if (hooks.length > 0) return hooks;
  if (isLine(tagline)) return [{ line: tagline, source: "tagline" }];
  if (isLine(product_name)) return [{ line: product_name, source: "product_name" }];
  return [{ line: brand_name ?? "", source: "brand_name" }];
}

/** The line for a session that has been served the creative `timesSeen` times before. */
export function hookFor(creative: Texts, timesSeen: number): string {
  const order = hookOrder(creative);
  return order[timesSeen % order.length]?.line ?? "";
}

function isLine(text: string | null | undefined): text is string {
  return text !== null && text !== undefined && text.trim() !== "";
}
