import { parseDate } from "@diegetic/ad-rules";
import { campaignCreate, InvalidInput } from "@diegetic/contracts";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { settingsIn } from "../../core/campaign-rows/campaign.ts";
import {
  requireActivatable,
  requireBudgetCoversSpent,
  requireDatesInOrder,
  requirePausable,
  settingsOfNewCampaign,
} from "./rules.ts";

describe("settings", () => {
  const least = { name: "n", budget_cents: 1, cpm_bid_cents: 100 };

  it("have defaults at creation", () => {
    expect(settingsOfNewCampaign(least)).toEqual({
      name: "n",
      budgetCents: 1,
      cpmBidCents: 100,
      dailyCapCents: null,
      startDate: null,
      endDate: null,
      priority: 5,
      targetCategories: [],
      targetTags: [],
    });
    expect(settingsOfNewCampaign({ ...least, priority: 0 }).priority).toBe(0);
  });

  it("change only where a PATCH names them", () => {
    expect(settingsIn({})).toEqual({});
    expect(settingsIn({ priority: null, daily_cap_cents: null, target_tags: null })).toEqual({
      priority: 5,
      dailyCapCents: null,
      targetTags: [],
    });
  });
});

describe("dates", () => {
  const refused: [string, string][] = [
    ["2026-12-02", "2026-12-01"],
    ["2026-12-01T10:00:00Z", "2026-12-01T09:59:59Z"],
    ["2026-12-02", "2026-12-01T23:59:59Z"],
    ["2026-12-01T00:00:00-01:00", "2026-12-01T00:59:59Z"],
  ];
  it.each(refused)("from %s until %s is refused", (startDate, endDate) => {
    expect(() => requireDatesInOrder({ startDate, endDate })).toThrow(InvalidInput);
  });
  const accepted: [string | null, string | null][] = [
    ["2026-12-01", "2026-12-01"],
    ["2026-12-01T12:00:00Z", "2026-12-01"],
    ["2026-12-01T10:00:00Z", "2026-12-01T10:00:00Z"],
    [null, "2020-01-01"],
    ["2030-01-01", null],
  ];
  it.each(accepted)("from %s until %s is accepted", (startDate, endDate) => {
    expect(() => requireDatesInOrder({ startDate, endDate })).not.toThrow();
  });

  it("that a client may send are dates to the rules of matching", () => {
    const form =
      /^20[0-9]{2}-(0[1-9]|1[0-2])-[0-3][0-9](T[0-2][0-9]:[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?(Z|[+-][0-2][0-9](:?[0-6][0-9])?)?)?$/;
    let accepted = 0;
    fc.assert(
      fc.property(fc.stringMatching(form), (text) => {
        try {
          campaignCreate({ name: "n", budget_cents: 1_000, cpm_bid_cents: 500, start_date: text });
        } catch {
          return;
        }
        accepted += 1;
        expect([text, parseDate(text)]).toEqual([text, expect.anything()]);
      }),
      { numRuns: 1_000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});

describe("a budget", () => {
  it("covers what is spent, to the millicent", () => {
    expect(() => requireBudgetCoversSpent(2, 2_000)).not.toThrow();
    expect(() => requireBudgetCoversSpent(2, 2_001)).toThrow("spent_cents is 3, but 2 was sent");
  });
});

describe("activation", () => {
  it("covers one impression exactly, and no less", () => {
    const campaign = { status: "paused", cpmBidCents: 500, budgetCents: 10, spentMillicents: 9_500 } as const;
    expect(() => requireActivatable(campaign, 1, 500)).not.toThrow();
    expect(() => requireActivatable(campaign, 1, 499)).toThrow("deposit");
    expect(() => requireActivatable(campaign, 0, 500)).toThrow("creative");
    expect(() => requireActivatable({ ...campaign, status: "active" }, 1, 500)).toThrow("active already");
    expect(() => requireActivatable({ ...campaign, status: "draft" }, 1, 500)).not.toThrow();
    expect(() => requireActivatable({ ...campaign, cpmBidCents: 501 }, 1, 500)).toThrow("deposit");
  });

  it("comes before a pause", () => {
    expect(() => requirePausable({ status: "active" })).not.toThrow();
    expect(() => requirePausable({ status: "draft" })).toThrow("draft");
    expect(() => requirePausable({ status: "paused" })).toThrow("paused");
  });
});
