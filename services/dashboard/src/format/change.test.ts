import { describe, expect, it } from "@jest/globals";
import { changeOf, monthOnMonth, sumOf, weekOnWeek } from "./change.ts";

describe("changeOf", () => {
  it.each([
    [112, 100, "+12%"],
    [995, 1_000, "−0.5%"],
    [100, 100, "0%"],
    [0, 5, "−100%"],
    [5, 0, null],
    [0, 0, null],
  ])("of %d after %d is %s", (now, before, change) => {
    expect(changeOf(now, before)).toBe(change);
  });
});

const sum = sumOf((one: number) => one);

describe("weekOnWeek", () => {
  it("compares seven complete days with the seven before, without today", () => {
    const week = (amount: number) => Array.from({ length: 7 }, () => amount);
    expect(weekOnWeek([1_000, ...week(3), ...week(2), 1_000], sum)).toBe("+50% week on week");
    expect(weekOnWeek([1_000, ...week(0), ...week(0)], sum)).toBeNull();
  });

  it("says nothing without two weeks", () => {
    expect(weekOnWeek(Array(14).fill(1), sum)).toBeNull();
    expect(weekOnWeek(undefined, sum)).toBeUndefined();
  });
});

/** The days back from a day, each with the amount of its month. */
function days(today: string, count: number, amounts: Record<string, number>) {
  return Array.from({ length: count }, (_, back) => {
    const date = new Date(Date.parse(today) - back * 86_400_000).toISOString().slice(0, 10);
    return { date, amount: amounts[date.slice(0, 7)] ?? 0 };
  });
}
const amounts = sumOf(({ amount }: { amount: number }) => amount);

describe("monthOnMonth", () => {
  it("compares the complete days with the first days of last month", () => {
    const list = days("2026-11-23", 62, { "2026-11": 3, "2026-10": 2, "2026-09": 1_000 });
    expect(monthOnMonth(list, amounts)).toBe("+50% on last month to date");
    const [lastDayOfPeriod, nextDay] = [list.find(({ date }) => date === "2026-10-22"), list[31]];
    expect(nextDay?.date).toBe("2026-10-23");
    const changed = list.map((one) => (one === lastDayOfPeriod ? { ...one, amount: 24 } : one));
    expect(monthOnMonth(changed, amounts)).toBe("0% on last month to date");
    const after = list.map((one) => (one === nextDay ? { ...one, amount: 1_000 } : one));
    expect(monthOnMonth(after, amounts)).toBe("+50% on last month to date");
  });

  it("crosses the new year", () => {
    const list = days("2027-01-02", 62, { "2027-01": 1, "2026-12": 2 });
    expect(monthOnMonth(list, amounts)).toBe("−50% on last month to date");
  });

  it("says nothing on the first day, after a shorter month, and where days are missing", () => {
    const of = (today: string, count: number) =>
      monthOnMonth(days(today, count, { "2026-11": 1, "2026-10": 1, "2027-03": 1, "2027-02": 1 }), amounts);
    expect(of("2026-11-01", 62)).toBeNull();
    expect(of("2027-03-30", 62)).toBeNull();
    expect(of("2026-11-23", 30)).toBeNull();
  });
});
