import type { FrozenWallet, OwnTotals } from "@diegetic/hot-state";
import { describe, expect, it } from "@jest/globals";
import { type FoundSlice, reservedInSlices, type WalletTotals } from "./totals.ts";

const BUDGET = 1_000;

function totalsWith(campaign: Partial<WalletTotals["campaigns"][number]> = {}, depositedMillicents = 10_000) {
  const one = {
    campaignId: "camp_a",
    version: 1,
    status: "active" as const,
    budgetMillicents: BUDGET,
    dailyCapMillicents: null,
    spentMillicents: 300,
    impressions: 3,
    day: "2026-11-26",
    daySpentMillicents: 200,
    ...campaign,
  };
  const { spentMillicents, impressions } = one;
  return { spentMillicents, impressions, campaigns: [one], settledMarks: [], depositedMillicents };
}

/** The advertiser's own wallet, which holds so much, and slices with so much reserved. */
function found(ownHeld: number, ...reserved: number[]): FoundSlice[] {
  return [ownHeld, ...reserved].map((held, slice) => {
    const totals: OwnTotals = {
      spentMillicents: 0,
      impressions: 0,
      heldMillicents: held,
      reservedMillicents: held,
    };
    return { slice, found: {} as FrozenWallet, campaigns: [totals], marks: new Set<string>() };
  });
}

const ALL = [true, true, true];

describe("what stays reserved in slices", () => {
  it("is what kept holds had, up to the last millicent that limits leave", () => {
    const reserved = reservedInSlices(totalsWith(), found(100, 200, 400), ALL);
    expect([reserved(1, 0), reserved(2, 0)]).toEqual([200, 400]);
  });

  it("is nothing in a slice that forgets its matches", () => {
    const reserved = reservedInSlices(totalsWith(), found(100, 200, 401), [true, true, false]);
    expect([reserved(1, 0), reserved(2, 0)]).toEqual([200, 0]);
  });

  it.each([
    ["the budget", totalsWith(), [100, 200, 401]],
    ["the daily cap", totalsWith({ dailyCapMillicents: 400 }), [0, 100, 101]],
    ["the balance", totalsWith({}, 700), [100, 200, 101]],
  ] as const)("is nothing beyond %s: a returned grant was lost", (_limit, totals, [own, ...slices]) => {
    const reserved = reservedInSlices(totals, found(own, ...slices), ALL);
    expect([reserved(1, 0), reserved(2, 0)]).toEqual([0, 0]);
  });
});
