import type { CampaignStatus } from "@diegetic/contracts";
import type { Millicents } from "@diegetic/money";

export interface Campaign {
  id: string;
  advertiserId: string;
  name: string;
  status: CampaignStatus;
  budgetCents: number;
  spentMillicents: Millicents;
  impressions: number;
  cpmBidCents: number;
  dailyCapCents: number | null;
  /** ISO 8601 as it was given. */
  startDate: string | null;
  /** ISO 8601 as it was given. */
  endDate: string | null;
  priority: number;
  targetCategories: string[];
  targetTags: string[];
  version: number;
  /** The version that is known to be in the snapshot and in Redis; 0: none. */
  publishedVersion: number;
  /** Bytes as published while it is active. */
  publishedBytes: number;
  /** Paused, but no pause has been answered 200 yet. */
  pausePending: boolean;
  createdAt: Date;
}

/** What an advertiser decides about a campaign. */
export type CampaignSettings = Pick<
  Campaign,
  | "name"
  | "budgetCents"
  | "cpmBidCents"
  | "dailyCapCents"
  | "startDate"
  | "endDate"
  | "priority"
  | "targetCategories"
  | "targetTags"
>;

/** What a new part has to know of its campaign. */
export interface PartOwner {
  id: string;
  /** The version of the campaign that will show the part first. */
  nextVersion: number;
}
