import { type BlocklistRuleCreate, newId } from "@diegetic/contracts";
import type { BlocklistRule } from "../../core/campaign-rows/blocklist-rule.ts";
import type { PartOwner } from "../../core/campaign-rows/campaign.ts";

export function newBlocklistRule(
  owner: PartOwner,
  request: BlocklistRuleCreate,
  nowMs: number,
): BlocklistRule {
  return {
    id: newId("blk", nowMs),
    campaignId: owner.id,
    ruleType: request.rule_type,
    value: request.value,
    createdAt: new Date(nowMs),
  };
}
