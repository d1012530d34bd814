import type { CampaignBody } from "@diegetic/contracts";
import { centsUp } from "@diegetic/money";
import type { Campaign } from "../../core/campaign-rows/campaign.ts";
import { timestamp } from "../../core/shared/time.ts";

export function presentCampaign(campaign: Campaign): CampaignBody {
  return {
    id: campaign.id,
    name: campaign.name,
    status: campaign.status,
    budget_cents: campaign.budgetCents,
    spent_cents: centsUp(campaign.spentMillicents),
    spent_millicents: campaign.spentMillicents,
    cpm_bid_cents: campaign.cpmBidCents,
    daily_cap_cents: campaign.dailyCapCents,
    start_date: campaign.startDate,
    end_date: campaign.endDate,
    priority: campaign.priority,
    target_categories: campaign.targetCategories,
    target_tags: campaign.targetTags,
    created_at: timestamp(campaign.createdAt),
  };
}
