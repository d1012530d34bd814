import type { CompiledCampaign } from "../compiled/compiled-campaign.ts";
import { blocklistRule } from "./blocklist.ts";
import { capsRule } from "./caps.ts";
import { categoriesRule } from "./categories.ts";
import { geoRule } from "./geo.ts";
import { moneyRule } from "./money.ts";
import { placementRule } from "./placement.ts";
import type { RangeRule, Reason } from "./rule.ts";
import { flightRule } from "./schedule.ts";
import { tagsRule } from "./tags.ts";

/** Rules 1 to 7, in the order of docs/behaviour.md#eligibility. */
export const eligibilityRules = [
  flightRule,
  placementRule,
  geoRule,
  blocklistRule,
  categoriesRule,
  tagsRule,
] as const;
const allRules = [...eligibilityRules, moneyRule, capsRule] as const;

/** Records of the index hold a campaign's ranges in this order. */
export const rangeRules: readonly RangeRule<CompiledCampaign>[] = eligibilityRules.flatMap(
  ({ range }) => range ?? [],
);

type NamesOf<Rule> = Rule extends { reasons: Readonly<Record<infer Name extends string, Reason>> }
  ? Name
  : never;
/** Stable name of a check. */
export type CheckedRule = NamesOf<(typeof allRules)[number]>;

/** Every reason for which a campaign does not serve, in the order of docs/behaviour.md#eligibility. */
export const reasonCodes: Readonly<Record<CheckedRule, Reason>> = Object.assign(
  {},
  ...allRules.map(({ reasons }) => reasons),
);
