import { phrase } from "@diegetic/ad-rules";
import {
  type BlocklistRuleCreate,
  type BlocklistRuleType,
  blocklistRuleCreate,
  keywordWithoutWord,
} from "@diegetic/contracts";

export interface BlocklistRule {
  id: string;
  campaignId: string;
  ruleType: BlocklistRuleType;
  value: string;
  createdAt: Date;
}

/** Validates a rule. Throws InvalidInput, also for a keyword that can never occur (docs/behaviour.md#whole-words). */
export function readBlocklistRule(body: unknown): BlocklistRuleCreate {
  const rule = blocklistRuleCreate(body);
  if (rule.rule_type !== "keyword" || phrase(rule.value) !== null) return rule;
  throw keywordWithoutWord.error(rule.value);
}
