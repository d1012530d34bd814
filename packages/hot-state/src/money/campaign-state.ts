import type { CampaignStatus } from "@diegetic/contracts";
import type { Millicents } from "@diegetic/money";

/** The settings of a campaign that management writes to the wallet. */
export interface CampaignSettings {
  campaignId: string;
  version: number;
  status: CampaignStatus;
  budgetMillicents: Millicents;
  dailyCapMillicents: Millicents | null;
}

/** The totals of a campaign in Postgres. */
export interface CampaignSpending {
  spentMillicents: Millicents;
  impressions: number;
  /** The UTC day (YYYY-MM-DD) that `daySpentMillicents` was spent on. */
  day: string;
  daySpentMillicents: Millicents;
}

export interface CampaignState extends CampaignSettings {
  advertiserId: string;
  /** Used only if the campaign is new to the wallet. Null: the caller expects it not to be. */
  seed: CampaignSpending | null;
}
