import type { BodyOf } from "../../api/operations.ts";

type Texts = Partial<
  Pick<
    BodyOf<"POST /campaigns/{campaign_id}/creatives">,
    "narrative_hook" | "alt_hooks" | "tagline" | "product_name" | "brand_name"
  >
>;

export interface OrderedLine {
  line: string;
  source: "narrative_hook" | "alt_hooks" | "tagline" | "product_name" | "brand_name";
}

/** The lines in the order in which a player session sees them; then again from the first. */
export function hookOrder(creative: Texts): OrderedLine[] {
  const {
    narrative_hook: hook,
    alt_hooks: others,
    tagline,
    product_name: product,
    brand_name: brand,
  } = creative;
  const all: OrderedLine[] = [
    { line: hook ?? "", source: "narrative_hook" },
    ...(others ?? []).map((line) => ({ line, source: "alt_hooks" }) as const),
  ];
  const texts = all.map(({ line }) => line.trim());
  const lines = all.filter(
    (_line, index) => texts[index] !== "" && texts.indexOf(texts[index] ?? "") === index,
  );
  if (lines.length > 0) return lines;
  // A creative without hooks still gives the game a line to insert.
  if (tagline) return [{ line: tagline, source: "tagline" }];
  if (product) return [{ line: product, source: "product_name" }];
  return [{ line: brand ?? "", source: "brand_name" }];
}
