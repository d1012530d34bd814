import type { BodyOf } from "../../api/operations.ts";

type Creative = BodyOf<"POST /campaigns/{campaign_id}/creatives">;

/** A narrative hook needs a line; the schema cannot say so, because it depends on the type. */
export function missingLine({
  creative_type: type,
  narrative_hook: line,
}: {
  creative_type?: Creative["creative_type"] | undefined;
  narrative_hook?: string | null | undefined;
}): { narrative_hook?: string } {
  const isMissing = type === "narrative_hook" && (line ?? "") === "";
  return isMissing ? { narrative_hook: "Write the line first." } : {};
}
