import type { Creative } from "../types/campaign.ts";

/** Parts of a creative, as far as they are written: a creative being edited lacks some. */
type Texts = {
  [Part in "narrative_hook" | "alt_hooks" | "tagline" | "product_name" | "brand_name"]?:
    | Creative[Part]
    | null;
};

interface OrderedLine {
  line: string;
  source: keyof Texts;
}

/**
 * The lines in the order in which a player session reads them, at least one: narrative_hook, then alt_hooks; without
 * hooks the tagline, else the product name, else the brand name (docs/behaviour.md#hook-rotation). A line that is listed
 * twice counts once, whatever space surrounds it.
 */
export function hookOrder(creative: Texts): OrderedLine[] {
  const lines: OrderedLine[] = [];
  const add = (line: string | null | undefined, source: keyof Texts) => {
    if (!isLine(line)) return;
    const bare = line.trim();
    if (!lines.some((known) => known.line.trim() === bare)) lines.push({ line, source });
  };
  add(creative.narrative_hook, "narrative_hook");
  for (const line of creative.alt_hooks ?? []) add(line, "alt_hooks");
  if (lines.length === 0) add(creative.tagline, "tagline");
  if (lines.length === 0) add(creative.product_name, "product_name");
  if (lines.length === 0) lines.push({ line: creative.brand_name ?? "", source: "brand_name" });
  return lines;
}

/** The line for a session that has been served the creative `timesSeen` times before. */
export function hookFor(creative: Texts, timesSeen: number): string {
  const order = hookOrder(creative);
  return order[timesSeen % order.length]?.line ?? "";
}

function isLine(text: string | null | undefined): text is string {
  return text !== null && text !== undefined && text.trim() !== "";
}
