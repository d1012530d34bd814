import { describe, expect, it } from "@jest/globals";
import { campaign, capped, NOW_MS, neverCovered } from "./campaign-state.fixture.ts";
import { type CampaignSummary, campaignState } from "./campaign-state.ts";

describe("campaignState", () => {
  it("names the cause when an active campaign is not served", () => {
    expect(campaignState(capped, 100, NOW_MS)).toEqual({
      word: "Active, not serving",
      tone: "warning",
      cause: "Daily cap reached until 00:00 UTC",
    });
  });

  it.each([0, 3_000, 5_000])("says that a cap below the price ends on no day, after %i today", (today) => {
    const summary: CampaignSummary = { ...neverCovered, daily_spent_millicents: [today] };
    expect(campaignState(summary, 100, NOW_MS)).toEqual({
      word: "Active, not serving",
      tone: "negative",
      cause: "The daily cap is below the price of one impression",
    });
  });

  it("says that the end date has passed, whatever was spent until then", () => {
    const ended = (end_date: string, pacing_status: CampaignSummary["pacing_status"]) =>
      campaignState({ ...campaign, end_date, pacing_status }, 100, NOW_MS);
    const over = { word: "Active, not serving", tone: "quiet", cause: "Its end date has passed" };
    expect(ended("2026-11-30", "under_pacing")).toEqual(over);
    expect(ended("2026-12-01T11:59:59", "exhausted")).toEqual(over);
    // The whole day, UTC.
    expect(ended("2026-12-01", "on_pace").word).toBe("Active");
    expect(ended("2026-12-01T12:00:01Z", "on_pace").word).toBe("Active");
  });

  it("says what a draft still needs", () => {
    expect(campaignState({ ...campaign, status: "draft", creatives: 0 }, 0, NOW_MS).cause).toBe(
      "It needs a creative",
    );
    expect(campaignState({ ...campaign, status: "draft" }, 0, NOW_MS).cause).toBe("Ready to be activated");
  });

  it.each([
    ["the whole budget is spent", 10_000_000, 0, "Budget is used up"],
    ["less of the budget is left than of the balance", 9_999_500, 5_000, "Budget is used up"],
    ["less of the balance is left than of the budget", 1_000_000, 1, "Balance is used up"],
    ["the balance is not known, but the budget is spent", 10_000_000, undefined, "Budget is used up"],
    ["the balance is not known", 1_000_000, undefined, "Budget or balance is used up"],
  ])("names what is used up where %s", (_what, spent_millicents, balanceCents, cause) => {
    const exhausted = { ...campaign, pacing_status: "exhausted" as const, spent_millicents };
    expect(campaignState(exhausted, balanceCents, NOW_MS).cause).toBe(cause);
  });

  it("says who paused a campaign, also where money is missing", () => {
    const paused = { ...campaign, status: "paused" as const, pacing_status: "exhausted" as const };
    expect(campaignState(paused, 0, NOW_MS)).toMatchObject({
      word: "Paused",
      cause: "By your account",
    });
  });
});
