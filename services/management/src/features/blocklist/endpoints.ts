import {
  type BlocklistRuleBody,
  blocklistApi,
  MAX_BLOCKLIST_RULES,
  noBlocklistRule,
  tooManyBlocklistRules,
} from "@diegetic/contracts";
import type { Endpoint } from "@diegetic/service-kit";
import { type BlocklistRule, readBlocklistRule } from "../../core/campaign-rows/blocklist-rule.ts";
import { timestamp } from "../../core/shared/time.ts";
import { type CampaignPartServices, campaignPartEndpoints } from "../campaign-parts/endpoints.ts";
import { deleteBlocklistRule, insertBlocklistRules, listBlocklistRules, newBlocklistRule } from "./store.ts";

export function blocklistEndpoints(services: CampaignPartServices): Endpoint[] {
  return campaignPartEndpoints(
    {
      operations: blocklistApi.operations,
      idParameter: "blocklistRuleId",
      prefix: "blk",
      kind: "blocklistRules",
      most: MAX_BLOCKLIST_RULES,
      tooMany: tooManyBlocklistRules,
      missing: noBlocklistRule,
      validate: readBlocklistRule,
      make: newBlocklistRule,
      insert: insertBlocklistRules,
      remove: deleteBlocklistRule,
      list: listBlocklistRules,
      toResponse,
    },
    services,
  );
}

function toResponse(rule: BlocklistRule): BlocklistRuleBody {
  return {
    id: rule.id,
    campaign_id: rule.campaignId,
    rule_type: rule.ruleType,
    value: rule.value,
    created_at: timestamp(rule.createdAt),
  };
}
