import { hasWord } from "@diegetic/ad-rules";
import {
  type BlocklistRuleCreate,
  type BlocklistRuleType,
  blocklistRuleCreate,
  keywordWithoutWord,
  newId,
} from "@diegetic/contracts";
import type { PartOwner } from "./campaign.ts";

export interface BlocklistRule {
  id: string;
  campaignId: string;
  ruleType: BlocklistRuleType;
  value: string;
  createdAt: Date;
}

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

/** Validates a rule. Throws InvalidInput, also for a keyword that can never occur (docs/behaviour.md#whole-words). */
export function readBlocklistRule(body: unknown): BlocklistRuleCreate {
  const rule = blocklistRuleCreate(body);
  if (rule.rule_type !== "keyword" || hasWord(rule.value)) return rule;
  throw keywordWithoutWord.error(rule.value);
}
