import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { PacingStatus } from "../types/pacing.ts";
import { type PacingFacts, pacingOf } from "./pacing.ts";

const DAY_MS = 86_400_000;
/** Noon of 2026-11-21. */
const NOW_MS = Date.UTC(2026, 10, 21, 12);

/** A budget of 100 000, an impression costs 100, activated today, nothing spent. */
function facts(changes: Partial<PacingFacts> = {}): PacingFacts {
  return {
    budgetMillicents: 100_000,
    spentMillicents: 0,
    dailyCapMillicents: null,
    todaySpentMillicents: 0,
    balanceMillicents: 10 ** 9,
    priceMillicents: 100,
    startDate: null,
    endDate: null,
    firstActivatedAtMs: NOW_MS,
    ...changes,
  };
}

const daysAgo = (days: number) => ({ firstActivatedAtMs: NOW_MS - days * DAY_MS });
/** Ten days of which 2.5 are over: 25 000 are expected. */
const flight = { startDate: "2026-11-19T00:00:00Z", endDate: "2026-11-28", ...daysAgo(2) };
/** Four days with a cap of 1 000, today included: 4 000 are expected. */
const capped = { dailyCapMillicents: 1_000, ...daysAgo(3) };

describe("the status", () => {
  it.each<[string, string, Partial<PacingFacts>]>([
    ["not_started", "never activated", { firstActivatedAtMs: null }],
    ["not_started", "before the start", { startDate: "2026-11-21T12:00:00.001Z" }],
    [
      "not_started",
      "before the start, though money was spent",
      { startDate: "2026-11-22", spentMillicents: 100_000 },
    ],
    ["not_started", "a date that cannot be read", { startDate: "soon" }],
    ["on_pace", "the start itself, nothing to compare with", { startDate: "2026-11-21T12:00:00Z" }],
    ["on_pace", "only an end", { endDate: "2026-11-30" }],
    ["on_pace", "neither dates nor cap, almost spent", { spentMillicents: 99_900 }],
    ["exhausted", "all spent", { spentMillicents: 100_000 }],
    ["exhausted", "less than one impression left", { spentMillicents: 99_901 }],
    ["exhausted", "an empty balance", { balanceMillicents: 0 }],
    ["exhausted", "a balance of less than one impression", { balanceMillicents: 99 }],
    ["on_pace", "a balance of one impression", { balanceMillicents: 100 }],
    ["not_started", "an empty balance before the start", { balanceMillicents: 0, firstActivatedAtMs: null }],
    [
      "exhausted",
      "an empty balance after the end",
      { ...flight, endDate: "2026-11-20", balanceMillicents: 0 },
    ],
    [
      "exhausted",
      "before the cap is looked at",
      { ...capped, spentMillicents: 100_000, todaySpentMillicents: 1_000 },
    ],
    ["capped_today", "the cap reached", { ...capped, todaySpentMillicents: 1_000, spentMillicents: 4_000 }],
    ["capped_today", "less than one impression of the cap left", { ...capped, todaySpentMillicents: 901 }],
    ["capped_today", "a cap lowered below what was spent", { ...capped, todaySpentMillicents: 5_000 }],
    [
      "on_pace",
      "one impression of the cap left",
      { ...capped, todaySpentMillicents: 900, spentMillicents: 4_000 },
    ],
    ["on_pace", "the flight's 2.5 of 10 days", { ...flight, spentMillicents: 25_000 }],
    ["on_pace", "exactly 1.1 of what is expected", { ...flight, spentMillicents: 27_500 }],
    ["over_pacing", "a millicent more", { ...flight, spentMillicents: 27_501 }],
    ["on_pace", "exactly 0.9 of what is expected", { ...flight, spentMillicents: 22_500 }],
    ["under_pacing", "a millicent less", { ...flight, spentMillicents: 22_499 }],
    [
      "on_pace",
      "the flight, not the cap, where both are set",
      { ...flight, ...capped, spentMillicents: 25_000 },
    ],
    [
      "on_pace",
      "the whole budget expected after the end",
      { ...flight, endDate: "2026-11-20", spentMillicents: 99_000 },
    ],
    [
      "under_pacing",
      "a budget that was not spent by the end",
      { ...flight, endDate: "2026-11-20", spentMillicents: 80_000 },
    ],
    ["on_pace", "the cap on each of four days", { ...capped, spentMillicents: 4_400 }],
    ["over_pacing", "more than the cap on each of four days", { ...capped, spentMillicents: 4_401 }],
    ["under_pacing", "less than the cap on each of four days", { ...capped, spentMillicents: 3_599 }],
    ["under_pacing", "nothing spent", capped],
    [
      "under_pacing",
      "almost the budget spent, on a day by which the cap allows twice as much",
      { ...capped, ...daysAgo(199), spentMillicents: 95_000 },
    ],
    // 1 % of the budget is 1 000, more than the expected spend in the first minute of a flight.
    [
      "on_pace",
      "at least one percent of the budget",
      { ...flight, startDate: "2026-11-21T11:59:00Z", spentMillicents: 1_100 },
    ],
    [
      "over_pacing",
      "more than that",
      { ...flight, startDate: "2026-11-21T11:59:00Z", spentMillicents: 1_101 },
    ],
  ])("is %s: %s", (status, _what, changes) => {
    expect(pacingOf(facts(changes), NOW_MS).status).toBe(status);
  });
});

describe("the expected spend", () => {
  it.each<[string, Partial<PacingFacts>, number | null]>([
    ["the elapsed part of a flight", flight, 25_000],
    ["the elapsed part, whatever was spent", { ...flight, spentMillicents: 100_000 }, 25_000],
    ["whole millicents, rounded down", { ...flight, budgetMillicents: 100_003 }, 25_000],
    ["the flight's, not the cap's, where both are set", { ...flight, ...capped }, 25_000],
    ["the whole budget after the end", { ...flight, endDate: "2026-11-20" }, 100_000],
    ["the cap on each of four days", capped, 4_000],
    ["no more than the budget", { ...capped, dailyCapMillicents: 50_000 }, 100_000],
    ["nothing known without flight and cap", {}, null],
    ["nothing known with an end only", { endDate: "2026-11-30" }, null],
    ["nothing known before the start", { ...capped, startDate: "2026-11-22" }, null],
    ["nothing known before the first activation", { ...flight, firstActivatedAtMs: null }, null],
  ])("is %s", (_what, changes, expected) => {
    expect(pacingOf(facts(changes), NOW_MS).expectedMillicents).toBe(expected);
  });
});

describe("what is left", () => {
  it.each<[string, Partial<PacingFacts>, number, number]>([
    [
      "without a cap, what the budget allows",
      { spentMillicents: 40_000, todaySpentMillicents: 300 },
      60_000,
      60_000,
    ],
    [
      "with a cap, what is left of it",
      { ...capped, spentMillicents: 300, todaySpentMillicents: 300 },
      99_700,
      700,
    ],
    ["no more than the budget", { ...capped, spentMillicents: 99_500, todaySpentMillicents: 100 }, 500, 500],
    [
      "nothing where the cap was lowered",
      { ...capped, spentMillicents: 5_000, todaySpentMillicents: 5_000 },
      95_000,
      0,
    ],
    ["nothing of a spent budget", { ...capped, spentMillicents: 100_000 }, 0, 0],
  ])("is %s", (_what, changes, remaining, todayRemaining) => {
    expect(pacingOf(facts(changes), NOW_MS)).toMatchObject({
      remainingMillicents: remaining,
      todayRemainingMillicents: todayRemaining,
    });
  });
});

describe("the projection", () => {
  it.each<[string, Partial<PacingFacts>, number, number | null, string | null]>([
    ["nothing without spend", daysAgo(5), 6, null, null],
    ["nothing before the first activation", { firstActivatedAtMs: null }, 1, null, null],
    ["a day as long as the first one", { spentMillicents: 50_000 }, 1, 1, "2026-11-22"],
    ["whole days only", { spentMillicents: 30_000, ...daysAgo(1) }, 2, 4, "2026-11-25"],
    ["today when less than a day is left", { spentMillicents: 60_000 }, 1, 0, "2026-11-21"],
    ["today when all is spent", { spentMillicents: 100_000, ...daysAgo(9) }, 10, 0, "2026-11-21"],
    ["the new year", { spentMillicents: 2_000, ...daysAgo(0) }, 1, 49, "2027-01-09"],
    [
      "the last day there is",
      { budgetMillicents: 10 ** 12, spentMillicents: 100 },
      1,
      9_999_999_999,
      "9999-12-31",
    ],
    ["a clock behind the activation", { spentMillicents: 50_000, ...daysAgo(-3) }, 1, 1, "2026-11-22"],
    [
      "the day before counts as a day",
      { spentMillicents: 50_000, firstActivatedAtMs: NOW_MS - 13 * 3_600_000 },
      2,
      2,
      "2026-11-23",
    ],
  ])("is %s", (_what, changes, daysActive, daysRemaining, projectedExhaustionDay) => {
    expect(pacingOf(facts(changes), NOW_MS)).toMatchObject({
      daysActive,
      daysRemaining,
      projectedExhaustionDay,
    });
  });
});

const moments = fc.integer({ min: NOW_MS - 400 * DAY_MS, max: NOW_MS + 400 * DAY_MS });
const dates = fc.option(moments.map((moment) => new Date(moment).toISOString()));
const anyFacts = fc
  .record({
    budgetMillicents: fc.integer({ min: 1, max: 10 ** 9 }).map((cents) => cents * 1_000),
    spentShare: fc.double({ min: 0, max: 1, noNaN: true }),
    todayShare: fc.double({ min: 0, max: 1, noNaN: true }),
    dailyCapMillicents: fc.option(fc.integer({ min: 1, max: 10 ** 9 }).map((cents) => cents * 1_000)),
    balanceMillicents: fc.oneof(fc.integer({ min: 0, max: 20_000 }), fc.constant(10 ** 12)),
    priceMillicents: fc.integer({ min: 100, max: 10_000 }),
    startDate: dates,
    endDate: dates,
    firstActivatedAtMs: fc.option(moments),
  })
  .map(({ spentShare, todayShare, ...rest }): PacingFacts => {
    const spentMillicents = Math.floor(rest.budgetMillicents * spentShare);
    return { ...rest, spentMillicents, todaySpentMillicents: Math.floor(spentMillicents * todayShare) };
  });

/** The formulas of docs/behaviour.md#pacing in floating point; undefined when rounding could decide. */
function naiveStatus(given: PacingFacts, nowMs: number): string | undefined {
  const start = given.startDate === null ? Number.NEGATIVE_INFINITY : Date.parse(given.startDate);
  if (given.firstActivatedAtMs === null || nowMs < start) return "not_started";
  if (given.budgetMillicents - given.spentMillicents < given.priceMillicents) return "exhausted";
  if (given.balanceMillicents < given.priceMillicents) return "exhausted";
  const cap = given.dailyCapMillicents;
  if (cap !== null && cap - given.todaySpentMillicents < given.priceMillicents) return "capped_today";
  let expected: number;
  if (given.startDate !== null && given.endDate !== null) {
    const whole = Date.parse(given.endDate) + 1 - start;
    if (whole <= 0) return undefined;
    expected = (given.budgetMillicents * Math.min(nowMs - start, whole)) / whole;
  } else if (cap !== null) {
    const day = (ms: number) => Math.floor(ms / DAY_MS);
    expected = cap * Math.max(1, day(nowMs) - day(given.firstActivatedAtMs) + 1);
  } else return "on_pace";
  const ratio = given.spentMillicents / Math.max(expected, given.budgetMillicents / 100);
  if (Math.abs(ratio - 1.1) < 1e-9 || Math.abs(ratio - 0.9) < 1e-9) return undefined;
  return ratio > 1.1 ? "over_pacing" : ratio < 0.9 ? "under_pacing" : "on_pace";
}

const every: Record<PacingStatus, true> = {
  not_started: true,
  exhausted: true,
  capped_today: true,
  over_pacing: true,
  under_pacing: true,
  on_pace: true,
};

describe("for any campaign", () => {
  it("the status follows the formulas", () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        const { status } = pacingOf(given, NOW_MS);
        expect(status).toBe(naiveStatus(given, NOW_MS) ?? status);
      }),
      { numRuns: 2_000 },
    );
    const sample = fc.sample(anyFacts, { seed: 1, numRuns: 20_000 });
    const seen = new Set(sample.map((given) => pacingOf(given, NOW_MS).status));
    expect([...seen].sort()).toEqual(Object.keys(every).sort());
  });

  it("amounts stay within the budget, and the projection is the first day that the average does not pay in full", () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        const pacing = pacingOf(given, NOW_MS);
        const { budgetMillicents, spentMillicents } = given;
        expect(pacing.remainingMillicents + spentMillicents).toBe(budgetMillicents);
        expect(pacing.todayRemainingMillicents).toBeGreaterThanOrEqual(0);
        expect(pacing.todayRemainingMillicents).toBeLessThanOrEqual(pacing.remainingMillicents);
        expect(pacing.expectedMillicents ?? 0).toBeGreaterThanOrEqual(0);
        expect(pacing.expectedMillicents ?? 0).toBeLessThanOrEqual(budgetMillicents);
        if (pacing.daysRemaining === null) return expect(spentMillicents).toBe(0);
        const [days, spent] = [BigInt(pacing.daysRemaining), BigInt(spentMillicents)];
        const leftInDays = BigInt(pacing.remainingMillicents) * BigInt(pacing.daysActive);
        expect(days * spent <= leftInDays && leftInDays < (days + 1n) * spent).toBe(true);
        expect(pacing.projectedExhaustionDay).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      }),
    );
  });
});
