import type { CampaignSummary } from "./campaign-state.ts";

export const NOW_MS = Date.parse("2026-12-01T12:00:00Z");
export const campaign: CampaignSummary = {
  campaign_id: "camp_1",
  name: "Winter in the taverns",
  status: "active",
  budget_cents: 10_000,
  cpm_bid_cents: 1_000,
  daily_cap_cents: null,
  spent_millicents: 1_000_000,
  expected_spend_millicents: null,
  impressions: 100,
  creatives: 1,
  pacing_status: "on_pace",
  projected_exhaustion_date: null,
  end_date: null,
  daily_spent_millicents: [],
  daily_impressions: [],
};
export const capped: CampaignSummary = {
  ...campaign,
  pacing_status: "capped_today",
  daily_cap_cents: 5,
  daily_spent_millicents: [0, 5_000],
};
/** Its daily cap pays for no impression. */
export const neverCovered: CampaignSummary = { ...capped, cpm_bid_cents: 5_001 };
