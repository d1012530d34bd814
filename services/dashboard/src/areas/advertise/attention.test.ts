import { describe, expect, it } from "@jest/globals";
import { needsAttention, restSentence } from "./attention.ts";
import { campaign, capped, NOW_MS, neverCovered } from "./campaign-state.fixture.ts";
import type { CampaignSummary } from "./campaign-state.ts";

const day = (spent: number) => ({ date: "2026-12-01", impressions: 1, spent_millicents: spent });

describe("needsAttention", () => {
  it("finds nothing where everything goes well", () => {
    expect(needsAttention([campaign], 100_000, [day(0), day(1_000)], NOW_MS)).toEqual([]);
  });

  it("warns before the balance runs out, by what last week has cost", () => {
    const [low] = needsAttention([campaign], 200, [day(0), day(100_000)], NOW_MS);
    expect(low).toMatchObject({ key: "balance", cause: "It lasts about 2 days at last week's spend." });
    const days = [day(0), day(100_000)];
    const keysWith = (cents: number) => needsAttention([campaign], cents, days, NOW_MS).map(({ key }) => key);
    expect([keysWith(699), keysWith(700)]).toEqual([["balance"], []]);
  });

  it("counts no day before the first spend of a new advertiser", () => {
    const days = [0, 4_000_000, 4_000_000, 0, 0, 0, 0, 0].map(day);
    const [low] = needsAttention([campaign], 9_000, days, NOW_MS);
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
      NOW_MS,
    );
    expect(found.map(({ key }) => key)).toEqual(["camp_spent", "camp_slow"]);
  });

  it("calls nothing slow in an account that waits for its first impression", () => {
    const slow = { ...campaign, pacing_status: "under_pacing" as const, spent_millicents: 0 };
    const found = (...others: CampaignSummary[]) =>
      needsAttention([slow, ...others], 100_000, [day(0)], NOW_MS).map(({ key }) => key);
    expect(found()).toEqual([]);
    expect(found({ ...campaign, campaign_id: "camp_served", spent_millicents: 500 })).toEqual([
      slow.campaign_id,
    ]);
  });

  it("calls nothing slow on the first day of a daily cap, which is planned as a whole", () => {
    const slow = { ...campaign, pacing_status: "under_pacing" as const, daily_cap_cents: 3_000 };
    const found = (expected_spend_millicents: number, change: Partial<CampaignSummary> = {}) =>
      needsAttention([{ ...slow, expected_spend_millicents, ...change }], 100_000, [day(1_000)], NOW_MS)
        .length;
    expect([found(3_000_000), found(6_000_000)]).toEqual([0, 1]);
    // Planned by dates; the plan of a cap that never ends before the budget is the same on every day.
    expect([found(2_999_999), found(3_000_000, { budget_cents: 3_000 })]).toEqual([1, 1]);
  });

  it("does not blame a campaign's budget for an empty balance", () => {
    const found = needsAttention([{ ...campaign, pacing_status: "exhausted" }], 0, [day(0)], NOW_MS);
    expect(found.map(({ key }) => key)).toEqual(["balance"]);
  });

  it("asks for a deposit where the last of the balance does not pay for an impression", () => {
    const [found] = needsAttention([{ ...campaign, pacing_status: "exhausted" }], 1, [day(0)], NOW_MS);
    expect(found).toMatchObject({ key: "camp_1", fix: { to: "/money", label: "Deposit" } });
  });

  it("asks for a higher cap or a lower bid where the cap is below the price of one impression", () => {
    const found = (list: CampaignSummary[]) => needsAttention(list, 100_000, [day(0)], NOW_MS);
    expect(found([neverCovered])).toMatchObject([
      {
        tone: "negative",
        cause:
          "The daily cap is below the price of one impression. Raise the cap to at least the price, or lower the bid.",
        fix: { to: "/campaigns/camp_1/settings" },
      },
    ]);
    expect(found([capped])[0]?.cause).toContain("00:00 UTC");
  });

  it("asks for nothing where the end date has passed", () => {
    const slow = { ...campaign, pacing_status: "under_pacing" as const };
    const found = (end_date: string | null) =>
      needsAttention([{ ...slow, end_date }], 100_000, [day(0), day(1_000)], NOW_MS).length;
    expect([found(null), found("2026-11-30")]).toEqual([1, 0]);
  });

  it("does not say that all is well while nothing is served", () => {
    const paused = { ...campaign, status: "paused" as const };
    const draft = { ...campaign, status: "draft" as const };
    const over = { ...campaign, end_date: "2026-11-30" };
    expect(
      [[campaign, paused], [paused, draft, paused], [paused], [over]].map((list) =>
        restSentence(list, NOW_MS),
      ),
    ).toEqual([
      undefined,
      "Nothing is being served: all campaigns are paused.",
      "Nothing is being served: the campaign is paused.",
      "Nothing is being served: no campaign runs.",
    ]);
  });

  it("leads to the creative that a draft lacks", () => {
    const [found] = needsAttention([{ ...campaign, status: "draft", creatives: 0 }], 100, [], NOW_MS);
    expect(found?.fix.to).toBe("/campaigns/camp_1/creatives/new");
  });
});
