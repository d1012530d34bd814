import { formatCents } from "../../format/format.ts";
import type { Campaign } from "./use-campaign.ts";

/** The schema does not know what is spent. A budget that is not changed is not sent. */
export function budgetCoversSpent(
  { budget_cents: budget }: { budget_cents?: number | null | undefined },
  { budget_cents: stored, spent_cents: spent }: Pick<Campaign, "budget_cents" | "spent_cents">,
): { budget_cents?: string } {
  if (typeof budget !== "number" || budget === stored || !(budget < spent)) return {};
  return { budget_cents: `Enter ${formatCents(spent)} or more: the spend so far, rounded up.` };
}
