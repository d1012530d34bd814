import { describe, expect, it } from "@jest/globals";
import {
  type CampaignSummary,
  campaignState,
  flightDays,
  momentOfDate,
  needsAttention,
  restSentence,
} from "./campaign-state.ts";

const NOW_MS = Date.parse("2026-12-01T12:00:00Z");
const campaign: CampaignSummary = {
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
const capped: CampaignSummary = {
  ...campaign,
  pacing_status: "capped_today",
  daily_cap_cents: 5,
  daily_spent_millicents: [0, 5_000],
};
const neverCovered: CampaignSummary = { ...capped, cpm_bid_cents: 5_001 };
const day = (spent: number) => ({ date: "2026-12-01", impressions: 1, spent_millicents: spent });

describe("the dates of a campaign", () => {
  it("are UTC days, whatever offset they were given in, and moments where they have a time", () => {
    const dates = { start_date: "2026-03-01T22:00:00-05:00", end_date: "2026-03-31T12:00:00Z" };
    expect(flightDays(dates)).toEqual({ first: "2026-03-02", last: "2026-03-31" });
    expect([dates.start_date, dates.end_date].map(momentOfDate)).toEqual([
      "2026-03-02T03:00:00.000Z",
      "2026-03-31T12:00:00.000Z",
    ]);
    expect(["2026-03-31", null, undefined, "soon"].map(momentOfDate)).toEqual(Array(4).fill(undefined));
  });
});

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
