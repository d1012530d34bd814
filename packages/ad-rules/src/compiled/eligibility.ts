import type { CompiledCampaign } from "../compiled/compiled-campaign.ts";
import type { PreparedRequest } from "../compiled/prepared-request.ts";
import { blocklistAdmits } from "../rules/blocklist.ts";
import { categoriesAdmit } from "../rules/categories.ts";
import { hasCreativeOfTypes } from "../rules/creative-type.ts";
import { geoAdmits } from "../rules/geo.ts";
import { placementAdmits } from "../rules/placement.ts";
import { isWithinSchedule } from "../rules/schedule.ts";
import { tagsAdmit } from "../rules/tags.ts";

/** One of the rules that make a campaign a candidate. */
export interface EligibilityRule {
  /** Stable name. */
  code: string;
  admits(campaign: CompiledCampaign, request: PreparedRequest): boolean;
}

/** Rules 1 to 7 of semantics, Matching, in their order. Money and caps (8, 9) are decided where they are kept. */
export const eligibilityRules: readonly EligibilityRule[] = [
  {
    code: "schedule",
    admits: (campaign, request) =>
      campaign.source.status === "active" && isWithinSchedule(campaign.schedule, request.nowMs),
  },
  {
    code: "placement",
    admits: (campaign, request) => placementAdmits(request.placement, campaign.names),
  },
  {
    code: "creative_type",
    admits: (campaign, request) => hasCreativeOfTypes(campaign.source.creatives, request.placementTypes),
  },
  {
    code: "geo",
    admits: (campaign, request) => geoAdmits(campaign.geo, request.player),
  },
  {
    code: "blocklist",
    admits: (campaign, request) => blocklistAdmits(campaign.blocklist, request.context, request.gameId),
  },
  {
    code: "categories",
    admits: (campaign, request) => categoriesAdmit(campaign.targetCategories, request.context.category),
  },
  {
    code: "tags",
    admits: (campaign, request) => tagsAdmit(campaign.targetTags, request.context),
  },
];

/** Whether the campaign passes rules 1 to 7. */
export function isEligible(campaign: CompiledCampaign, request: PreparedRequest): boolean {
  return eligibilityRules.every((rule) => rule.admits(campaign, request));
}
