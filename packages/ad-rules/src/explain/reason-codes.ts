import { blocklistRule } from "../rules/blocklist.ts";
import { capsRule } from "../rules/caps.ts";
import { categoriesRule } from "../rules/categories.ts";
import { geoRule } from "../rules/geo.ts";
import { moneyRule } from "../rules/money.ts";
import { placementRule } from "../rules/placement.ts";
import { flightRule } from "../rules/schedule.ts";
import { tagsRule } from "../rules/tags.ts";

/** Rules 1 to 7, in the order of docs/behaviour.md#eligibility. */
export const eligibilityRules = [
  flightRule,
  placementRule,
  geoRule,
  blocklistRule,
  categoriesRule,
  tagsRule,
] as const;

/** Every reason for which a campaign does not serve, in the order of docs/behaviour.md#eligibility. */
export const reasonCodes = {
  ...flightRule.reasons,
  ...placementRule.reasons,
  ...geoRule.reasons,
  ...blocklistRule.reasons,
  ...categoriesRule.reasons,
  ...tagsRule.reasons,
  ...moneyRule.reasons,
  ...capsRule.reasons,
};

/** Stable name of a check. */
export type CheckedRule = keyof typeof reasonCodes;
