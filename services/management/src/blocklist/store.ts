import { type BlocklistRuleCreate, newId } from "@diegetic/contracts";
import type { CampaignPartStore } from "../campaign-parts/endpoints.ts";
import { rowsOfPage } from "../shared/paging.ts";
import type { BlocklistRule } from "./blocklist-rule.ts";

export const blocklistStore: CampaignPartStore<BlocklistRuleCreate, BlocklistRule> = {
  list: (client, campaignId, paging) => client.blocklistRule.findMany(rowsOfPage({ campaignId }, paging)),
  count: (transaction, campaignId) => transaction.blocklistRule.count({ where: { campaignId } }),
  insert: (transaction, campaign, request, nowMs) =>
    transaction.blocklistRule.create({
      data: {
        id: newId("blk", nowMs),
        campaignId: campaign.id,
        ruleType: request.rule_type,
        value: request.value,
        createdAt: new Date(nowMs),
      },
    }),
  async remove(transaction, campaignId, id) {
    const { count } = await transaction.blocklistRule.deleteMany({ where: { id, campaignId } });
    return count > 0;
  },
};
