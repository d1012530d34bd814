import { describe, expect, it } from "@jest/globals";
import {
  capBelowPrice,
  capsBelowPrice,
  consequences,
  heldByAccount,
  heldByCampaign,
  spendOnceActive,
} from "./consequences.ts";

const campaign = {
  status: "active" as const,
  budget_cents: 5_000,
  cpm_bid_cents: 1_000,
  spent_millicents: 1_000_000,
  start_date: "2026-12-01",
  end_date: "2026-12-20",
  target_categories: ["fantasy"],
  target_tags: ["tavern", "inn"],
};
const now = { nowMs: Date.parse("2026-12-02T12:00:00Z"), todaySpentCents: 300, heldCents: 200 };

describe("the consequences of changed settings", () => {
  it("say how much of the held money a lower budget refuses", () => {
    expect(consequences(campaign, { budget_cents: 1_050 }, now)).toEqual([
      "$2.00 is held for ads that are matched but not yet seen. $1.50 of it no longer fits: those impressions are refused.",
    ]);
  });

  it("say what is held to its last fraction of a cent", () => {
    const held = { ...now, heldCents: 2.4 };
    expect(consequences(campaign, { budget_cents: 1_001 }, held)).toEqual([
      "$0.024 is held for ads that are matched but not yet seen. $0.014 of it no longer fits: those impressions are refused.",
    ]);
  });

  it("count what is spent to its last fraction of a cent", () => {
    const spent = { ...campaign, spent_millicents: 1_000_500 };
    expect(consequences(spent, { budget_cents: 1_003 }, { ...now, heldCents: 2.4 })).toEqual([
      "$0.024 is held for ads that are matched but not yet seen, and still fits into the lower budget.",
    ]);
    expect(consequences(spent, { budget_cents: 1_001 }, now)).toContain(
      "With this budget the campaign is no longer served.",
    );
  });

  it("say that held money still fits into a lower budget", () => {
    expect(consequences(campaign, { budget_cents: 1_200 }, now)).toEqual([
      "$2.00 is held for ads that are matched but not yet seen, and still fits into the lower budget.",
    ]);
    expect(consequences(campaign, { budget_cents: 2_000 }, { ...now, heldCents: 0 })).toEqual([
      "No money is held for matched ads that may still be seen.",
    ]);
  });

  it("say when a budget or a cap stops the campaign", () => {
    const found = consequences(campaign, { budget_cents: 1_000, daily_cap_cents: 300 }, now);
    expect(found).toContain("With this budget the campaign is no longer served.");
    expect(found).toContain("Today has cost as much as this cap: the campaign is served again at 00:00 UTC.");
  });

  it("say that a cap below the price of one impression serves on no day", () => {
    const changes = { cpm_bid_cents: 10_000, daily_cap_cents: 9 };
    const sentence = "The daily cap is below the price of one impression, $0.10: the campaign is not served.";
    expect(consequences(campaign, changes, now)).toContain(sentence);
    expect(consequences(campaign, changes, now).join()).not.toContain("00:00 UTC");
    expect(consequences(campaign, { ...changes, daily_cap_cents: 10 }, now)).not.toContain(sentence);
  });

  it("say when a change takes effect", () => {
    expect(consequences(campaign, { budget_cents: 6_000 }, now)).toEqual([
      "Takes effect with the next match.",
    ]);
  });
});

describe("the consequences of other dates", () => {
  const draft = { ...campaign, status: "draft" as const };
  const waiting = { ...campaign, start_date: "2026-12-10" };
  const ended = { ...campaign, start_date: null, end_date: "2026-11-30" };
  it.each([
    [
      "the first day moves into the future",
      campaign,
      { start_date: "2026-12-04" },
      "Serving stops until Dec 4, 2026 (UTC).",
    ],
    [
      "a first day that has not come moves",
      waiting,
      { start_date: "2026-12-12" },
      "It is served from Dec 12, 2026 (UTC).",
    ],
    ["the first day comes at once", waiting, { start_date: null }, "Serving starts with the next match."],
    [
      "the last day has passed",
      campaign,
      { end_date: "2026-12-01" },
      "It is no longer served: its last day has passed.",
    ],
    ["the last day moves", campaign, { end_date: "2026-12-02" }, "It is served until Dec 2, 2026 (UTC)."],
    ["the last day is removed", campaign, { end_date: null }, "It is served until the budget is spent."],
    [
      "an ended campaign goes on",
      ended,
      { end_date: "2026-12-03" },
      "It is served again until Dec 3, 2026 (UTC).",
    ],
    [
      "an ended campaign ends earlier",
      ended,
      { end_date: "2026-11-29" },
      "It is not served: its last day has passed.",
    ],
    [
      "a draft begins later",
      draft,
      { start_date: "2026-12-04" },
      "Once active, it is served from Dec 4, 2026 (UTC).",
    ],
    ["a draft has ended", draft, { end_date: "2026-12-01" }, "It is not served: its last day has passed."],
  ])("are said where %s", (_what, of, values, sentence) => {
    expect(consequences(of, values, now)).toEqual([sentence]);
  });

  it("are nothing where a date stays the same day, or the two contradict each other", () => {
    const nothing = ["Takes effect with the next match."];
    expect(consequences(campaign, { start_date: "2026-12-01", end_date: "2026-12-20" }, now)).toEqual(
      nothing,
    );
    expect(consequences(campaign, { start_date: "2026-12-21" }, now)).toEqual(nothing);
  });
});

describe("the consequences of other filters", () => {
  it.each([
    [{ target_categories: ["racing"] }, "Only scenes of these categories are matched from now on."],
    [{ target_categories: [] }, "Scenes of every category are matched from now on."],
    [{ target_tags: ["inn"] }, "Only scenes with one of these tags are matched from now on."],
    [{ target_tags: [] }, "Scenes are matched with and without tags from now on."],
    [{ target_categories: ["fantasy"], target_tags: ["inn", "tavern"] }, "Takes effect with the next match."],
  ])("name what is matched: %p", (values, sentence) => {
    expect(consequences(campaign, values, now)).toEqual([sentence]);
  });
});

describe("the consequences of activating", () => {
  const half = { budget_cents: 5_000, spent_millicents: 2_500_500 };
  const overspent = { budget_cents: 1_000, spent_millicents: 1_000_400 };
  it.each([
    [[half], undefined, "It may spend $24.995, the rest of its budget."],
    [[half, half, overspent], 4_999, "Together they may spend $49.99, the rest of their budgets."],
    [[half], 1_000, "It may spend $24.995, the rest of its budget. Your balance pays for $10.00 of it."],
  ])("say what may be spent by %j with a balance of %s", (campaigns, balanceCents, sentence) => {
    expect(spendOnceActive(campaigns, balanceCents)).toBe(sentence);
  });
});

describe("a daily cap", () => {
  const below = { daily_cap_cents: 9, cpm_bid_cents: 10_000 };
  const atPrice = { daily_cap_cents: 10, cpm_bid_cents: 10_000 };
  it("is warned of where it is below the price of one impression", () => {
    expect(capBelowPrice(below)).toBe(
      "The daily cap is below the price of one impression, $0.10: the campaign is not served.",
    );
    const others = [
      atPrice,
      { cpm_bid_cents: 10_000 },
      { ...below, daily_cap_cents: null },
      { daily_cap_cents: 9 },
    ];
    expect(others.map(capBelowPrice)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("is warned of among several campaigns", () => {
    expect([[below, atPrice], [below, below], [atPrice]].map(capsBelowPrice)).toEqual([
      "1 campaign has a daily cap below the price of one impression: it is not served.",
      "2 campaigns have a daily cap below the price of one impression: they are not served.",
      undefined,
    ]);
  });
});

describe("the consequences of pausing", () => {
  it.each([
    [
      { cents: 12.4, ads: 12 },
      "12 ads that were already matched may still be seen and billed, for at most $0.124, which is held for them.",
    ],
    [{ cents: 1, ads: 1 }, "1 ad that was already matched may still be seen and billed, for at most $0.01"],
    [{ cents: 0, ads: 0 }, "No money is held for matched ads"],
    [undefined, "Ads that were already matched may still be seen and billed."],
  ])("name the matched ads of the campaign and what they hold: %p", (held, sentence) => {
    expect(heldByCampaign(held)).toContain(sentence);
  });

  it.each([
    [12.4, "at most $0.124, which is held for all campaigns of the account."],
    [0, "No money is held for matched ads"],
    [undefined, "Ads that were already matched may still be seen and billed."],
  ])("name what is held for the account: %p cents", (heldCents, sentence) => {
    expect(heldByAccount(heldCents)).toContain(sentence);
  });
});
