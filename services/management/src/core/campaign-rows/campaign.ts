import { type CampaignBody, type CampaignCreate, type CampaignStatus, PRIORITY } from "@diegetic/contracts";
import type { Millicents } from "@diegetic/money";

interface Setting {
  /** Its name in `Campaign`. */
  property: string;
  /** The value when a request omits or clears it; absent: it is required. */
  default?: number | null | readonly string[];
}

/** What an advertiser decides about a campaign, by the name that the API and the column share. */
const settings = {
  name: { property: "name" },
  budget_cents: { property: "budgetCents" },
  cpm_bid_cents: { property: "cpmBidCents" },
  daily_cap_cents: { property: "dailyCapCents", default: null },
  start_date: { property: "startDate", default: null },
  end_date: { property: "endDate", default: null },
  priority: { property: "priority", default: PRIORITY.default },
  target_categories: { property: "targetCategories", default: [] },
  target_tags: { property: "targetTags", default: [] },
} as const satisfies Record<keyof CampaignCreate, Setting>;

type Field = keyof typeof settings;
type SettingFields = Pick<CampaignBody, Field>;
export type CampaignSettings = {
  [Name in Field as (typeof settings)[Name]["property"]]: SettingFields[Name];
};

/** Each setting's column and property. */
export const settingColumns = Object.entries<Setting>(settings).map(([column, { property }]) => ({
  column,
  property: property as keyof CampaignSettings,
}));

/** The settings by column, which is their name in the API too. */
export function settingFields(campaign: CampaignSettings): SettingFields {
  const fields = settingColumns.map(({ column, property }) => [column, campaign[property]]);
  return Object.fromEntries(fields) as SettingFields;
}

/** The settings in a request; null clears, or restores the default (docs/behaviour.md#absent-values). */
export function settingsIn(
  request: { [Name in Field]?: SettingFields[Name] | null },
): Partial<CampaignSettings> {
  const fields = Object.entries<Setting>(settings).flatMap(([name, setting]) => {
    const sent = request[name as Field];
    return sent === undefined ? [] : [[setting.property, sent ?? setting.default]];
  });
  return Object.fromEntries(fields) as Partial<CampaignSettings>;
}

/** The settings of a new campaign. @param request has every required setting */
export function settingsOfNew(request: CampaignCreate): CampaignSettings {
  const defaults = Object.values<Setting>(settings).map((one) => [one.property, one.default]);
  return { ...Object.fromEntries(defaults), ...settingsIn(request) } as CampaignSettings;
}

export interface Campaign extends CampaignSettings {
  id: string;
  advertiserId: string;
  status: CampaignStatus;
  spentMillicents: Millicents;
  impressions: number;
  version: number;
  /** The version that is known to be in the snapshot and in Redis; 0: none. */
  publishedVersion: number;
  /** Bytes as published while it is active. */
  publishedBytes: number;
  /** Paused, but no pause has been answered 200 yet. */
  pausePending: boolean;
  createdAt: Date;
}

/** What a new part has to know of its campaign. */
export interface PartOwner {
  id: string;
  /** The version of the campaign that will show the part first. */
  nextVersion: number;
}
