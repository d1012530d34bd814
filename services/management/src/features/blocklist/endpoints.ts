import {
  type BlocklistRuleBody,
  blocklistApi,
  MAX_BLOCKLIST_RULES,
  noBlocklistRule,
  tooManyBlocklistRules,
} from "@diegetic/contracts";
import {
  type BlocklistRule,
  newBlocklistRule,
  readBlocklistRule,
} from "../../core/campaign-rows/blocklist-rule.ts";
import { rowsOfPage } from "../../core/shared/paging.ts";
import { timestamp } from "../../core/shared/time.ts";
import { campaignPartHandlers } from "../campaign-parts/endpoints.ts";
import { endpointsOf } from "../endpoints-of.ts";

export const blocklistEndpoints = endpointsOf(
  blocklistApi.operations,
  campaignPartHandlers({
    idParameter: "blocklistRuleId",
    prefix: "blk",
    kind: "blocklistRules",
    max: MAX_BLOCKLIST_RULES,
    tooMany: tooManyBlocklistRules,
    missing: noBlocklistRule,
    validate: readBlocklistRule,
    make: newBlocklistRule,
    list: (database, campaignId, paging) =>
      database.blocklistRule.findMany(rowsOfPage({ campaignId }, paging)),
    toResponse,
  }),
);

function toResponse(rule: BlocklistRule): BlocklistRuleBody {
  return {
    id: rule.id,
    campaign_id: rule.campaignId,
    rule_type: rule.ruleType,
    value: rule.value,
    created_at: timestamp(rule.createdAt),
  };
}
