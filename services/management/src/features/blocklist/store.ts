import { type BlocklistRuleCreate, newId } from "@diegetic/contracts";
import { type Database, Prisma } from "@diegetic/database";
import type { BlocklistRule } from "../../core/campaign-rows/blocklist-rule.ts";
import type { PartOwner } from "../../core/campaign-rows/campaign.ts";
import { type Paging, rowsOfPage } from "../../core/shared/paging.ts";

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

export function listBlocklistRules(
  database: Database,
  campaignId: string,
  paging: Paging,
): Promise<BlocklistRule[]> {
  return database.blocklistRule.findMany(rowsOfPage({ campaignId }, paging));
}

/** Stores new rules. */
export function insertBlocklistRules(rules: readonly BlocklistRule[]): Prisma.Sql {
  const rows = rules.map((rule) => ({
    id: rule.id,
    campaign_id: rule.campaignId,
    rule_type: rule.ruleType,
    value: rule.value,
    created_at: rule.createdAt,
  }));
  return Prisma.sql`
    INSERT INTO blocklist_rules (id, campaign_id, rule_type, value, created_at)
    SELECT id, campaign_id, rule_type, value, created_at
    FROM json_populate_recordset(NULL::blocklist_rules, ${JSON.stringify(rows)}::json)`;
}

export function deleteBlocklistRule(id: string): Prisma.Sql {
  return Prisma.sql`DELETE FROM blocklist_rules WHERE id = ${id}`;
}
