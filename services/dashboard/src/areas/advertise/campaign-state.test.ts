import { describe, expect, it } from "@jest/globals";
import { type CampaignSummary, campaignState, needsAttention } from "./campaign-state.ts";

const campaign: CampaignSummary = {
  campaign_id: "camp_1",
  name: "Winter in the taverns",
  status: "active",
  budget_cents: 10_000,
  daily_cap_cents: null,
  spent_millicents: 1_000_000,
  impressions: 100,
  creatives: 1,
  pacing_status: "on_pace",
  projected_exhaustion_date: null,
  daily_spent_millicents: [],
  daily_impressions: [],
};
const day = (spent: number) => ({ date: "2026-12-01", impressions: 1, spent_millicents: spent });

describe("campaignState", () => {
  it("names the cause when an active campaign is not served", () => {
    expect(campaignState({ ...campaign, pacing_status: "capped_today" })).toEqual({
      word: "Active, not serving",
      tone: "warning",
      cause: "Daily cap reached until 00:00 UTC",
    });
  });

  it("says what a draft still needs", () => {
    expect(campaignState({ ...campaign, status: "draft", creatives: 0 }).cause).toBe("It needs a creative");
    expect(campaignState({ ...campaign, status: "draft" }).cause).toBe("Ready to be activated");
  });
});

describe("needsAttention", () => {
  it("finds nothing where everything goes well", () => {
    expect(needsAttention([campaign], 100_000, [day(0), day(1_000)])).toEqual([]);
  });

  it("warns before the balance runs out, by what last week has cost", () => {
    const [low] = needsAttention([campaign], 200, [day(0), day(100_000)]);
    expect(low).toMatchObject({ key: "balance", cause: "It lasts about 2 days at last week's spend." });
  });

  it("puts what is not served at all first", () => {
    const found = needsAttention(
      [
        { ...campaign, campaign_id: "camp_slow", pacing_status: "under_pacing" },
        { ...campaign, campaign_id: "camp_spent", pacing_status: "exhausted", spent_millicents: 10_000_000 },
      ],
      100_000,
      [day(0), day(1_000)],
    );
    expect(found.map(({ key }) => key)).toEqual(["camp_spent", "camp_slow"]);
  });

  it("does not blame a campaign's budget for an empty balance", () => {
    const found = needsAttention([{ ...campaign, pacing_status: "exhausted" }], 0, [day(0)]);
    expect(found.map(({ key }) => key)).toEqual(["balance"]);
  });

  it("leads to the creative that a draft lacks", () => {
    const [found] = needsAttention([{ ...campaign, status: "draft", creatives: 0 }], 100, []);
    expect(found?.fix.to).toBe("/campaigns/camp_1/creatives/new");
  });
});
