import { describe, expect, it } from "@jest/globals";
import { balanceSentence, spendOutlook } from "./spend-outlook.ts";

const NOW_MS = Date.parse("2026-12-01T12:00:00Z");
const active = { status: "active", start_date: null, end_date: null } as const;
const pacing = { days_active: 5, avg_daily_spend_cents: 100, remaining_cents: 1_000 };

describe("spendOutlook", () => {
  it.each([
    ["the budget, where the balance pays for it", {}, 1_000, "Budget lasts at least until Dec 11, 2026"],
    [
      "the balance, where it is less",
      {},
      250,
      "Balance lasts at least until Dec 3, 2026 for this campaign alone",
    ],
    [
      "no day in many years",
      { avg_daily_spend_cents: 1 },
      5_000,
      "Budget lasts more than a year at this pace",
    ],
    ["nothing before one whole day", { days_active: 2 }, 5_000, undefined],
    ["nothing without spend", { avg_daily_spend_cents: 0 }, 5_000, undefined],
    ["nothing for a draft", { days_active: null }, 5_000, undefined],
  ])("names %s", (_what, changes, balanceCents, sentence) => {
    expect(spendOutlook(active, { ...pacing, ...changes }, balanceCents, NOW_MS)).toBe(sentence);
  });

  it.each([
    ["2026-12-08", 1_000, "Budget lasts until the campaign ends on Dec 8, 2026"],
    ["2026-12-08", 900, "Balance lasts until the campaign ends on Dec 8, 2026 for this campaign alone"],
    ["2026-12-24", 1_000, "Budget lasts at least until Dec 11, 2026"],
  ])("ends with the campaign: %s, with a balance of %s", (end_date, balanceCents, sentence) => {
    expect(spendOutlook({ ...active, end_date }, pacing, balanceCents, NOW_MS)).toBe(sentence);
  });

  it("names nothing while the campaign is paused", () => {
    expect(spendOutlook({ ...active, status: "paused" }, pacing, 5_000, NOW_MS)).toBeUndefined();
  });
});

describe("balanceSentence", () => {
  it.each([
    [50_000, 0, 20_000, "Your balance pays for $200.00 of it."],
    [50_000, 10_000, 20_000, "Your balance pays for $200.00 of what is left."],
    [50_000, 30_000, 20_000, undefined],
    [50_000, 0, undefined, undefined],
    [undefined, 0, 20_000, undefined],
  ])("of a budget of %s, %s spent, with a balance of %s: %s", (budget, spent, balance, sentence) => {
    expect(balanceSentence(budget, spent, balance)).toBe(sentence);
  });
});
