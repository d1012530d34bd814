import { describe, expect, it } from "@jest/globals";
import { consequences } from "./consequences.ts";

const campaign = { budget_cents: 5_000, cpm_bid_cents: 1_000, spent_millicents: 1_000_000 };
const now = { todaySpentCents: 300, heldCents: 200 };

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
  });

  it("say when a budget or a cap stops the campaign", () => {
    const found = consequences(campaign, { budget_cents: 1_000, daily_cap_cents: 300 }, now);
    expect(found).toContain("With this budget the campaign is no longer served.");
    expect(found).toContain("Today has cost as much as this cap: the campaign is served again at 00:00 UTC.");
  });

  it("say when a change takes effect", () => {
    expect(consequences(campaign, { budget_cents: 6_000 }, now)).toEqual([
      "Takes effect with the next match.",
    ]);
  });
});
