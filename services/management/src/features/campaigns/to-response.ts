import type { CampaignBody } from "@diegetic/contracts";
import { centsUp } from "@diegetic/money";
import { type Campaign, settingFields } from "../../core/campaign-rows/campaign.ts";
import { timestamp } from "../../core/shared/time.ts";

export function toCampaignResponse(campaign: Campaign): CampaignBody {
  return {
    id: campaign.id,
    ...settingFields(campaign),
    status: campaign.status,
    spent_cents: centsUp(campaign.spentMillicents),
    spent_millicents: campaign.spentMillicents,
    created_at: timestamp(campaign.createdAt),
  };
}
