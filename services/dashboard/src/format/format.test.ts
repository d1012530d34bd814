import { describe, expect, it } from "@jest/globals";
import {
  dollarsOfCents,
  dollarsOfMillicents,
  exactColumn,
  formatAgo,
  formatAxisCents,
  formatCents,
  formatChange,
  formatCount,
  formatDecimal,
  formatExactCents,
  formatMoment,
  hourFormat,
  withMoney,
} from "./format.ts";

describe("formatCents", () => {
  it("rounds to the cent", () => {
    expect(formatCents(1_234.4)).toBe("$12.34");
  });

  it("is exact where rounding would mislead", () => {
    expect([
      formatCents(1.4),
      formatCents(0.000_5),
      formatCents(-1.4),
      formatCents(0),
      formatCents(2),
    ]).toEqual(["$0.014", "$0.000005", "−$0.014", "$0.00", "$0.02"]);
  });
});

describe("a negative number", () => {
  it("has a true minus, in every form", () => {
    const cents = -123_400;
    expect([
      formatCents(cents),
      formatExactCents(cents),
      exactColumn([-0.5])(cents),
      formatAxisCents([cents])(cents),
      formatCount(cents),
      formatDecimal(-1.25),
      formatChange(-0.125),
    ]).toEqual(["−$1,234.00", "−$1,234.00", "−$1,234.000", "−$1.2K", "−123,400", "−1.25", "−12.5%"]);
  });
});

describe("dollarsOfCents", () => {
  it("keeps every microcent, without the noise of binary fractions", () => {
    expect([0.000_333, 0.000_001, 0.07, 1.1].map(dollarsOfCents)).toEqual([
      0.000_003_33, 0.000_000_01, 0.000_7, 0.011,
    ]);
  });
});

describe("withMoney", () => {
  it("writes the amounts of a sentence as money", () => {
    expect(withMoney("a bid of 1980 cents would be enough; the budget has 0.5 cents left, or 1 cent.")).toBe(
      "a bid of $19.80 would be enough; the budget has $0.005 left, or $0.01.",
    );
  });

  it("leaves other numbers and words as they are", () => {
    expect(withMoney("a rank of 1000 in 20 centuries")).toBe("a rank of 1000 in 20 centuries");
  });
});

describe("dollarsOfMillicents", () => {
  it("is exact where two divisions are not", () => {
    expect(String(dollarsOfMillicents(1_212))).toBe("0.01212");
  });
});

describe("formatAgo", () => {
  it.each([
    ["2026-12-01T11:57:00Z", "3 min ago"],
    ["2026-12-02T11:00:00Z", "in 23 hr"],
    ["2026-12-01T11:59:55Z", "just now"],
    ["2026-12-01T11:00:01Z", "59 min ago"],
    ["2026-11-30T12:30:00Z", "23 hr ago"],
    ["2026-11-30T00:30:00Z", "1 day ago"],
    ["2026-12-02T23:00:00Z", "in 1 day"],
    ["2026-12-02T11:59:30Z", "in 1 day"],
    ["2026-12-01T12:59:30Z", "in 1 hr"],
    ["2026-12-08T11:59:30Z", "in 7 days"],
    ["2026-11-24T12:00:01Z", "6 days ago"],
    ["2026-11-24T12:00:00Z", "Nov 24, 2026"],
    ["2025-06-09T12:00:00Z", "Jun 9, 2025"],
    ["2026-12-31T12:00:00Z", "Dec 31, 2026"],
  ])("says how far %s is", (iso, words) => {
    expect(formatAgo(iso, Date.parse("2026-12-01T12:00:00Z"))).toBe(words);
  });
});

describe("an hour on an axis", () => {
  it.each([
    ["en-US", "7 AM"],
    ["en-DE", "07:00"],
    ["en-JP", "07:00"],
    ["en-GB", "07:00"],
  ])("can be told from another number in %s", (locale, words) => {
    const text = hourFormat(locale).format(new Date("2026-12-01T07:00:00Z"));
    // Some versions of ICU set a narrow space.
    expect(text.replace(/\s/, " ")).toBe(words);
  });
});

describe("formatMoment", () => {
  it("names the time zone: days of money are UTC, moments are the reader's own", () => {
    const zone = new Intl.DateTimeFormat("en-US", { timeZoneName: "short" })
      .formatToParts(new Date("2026-12-01T09:30:00Z"))
      .find(({ type }) => type === "timeZoneName")?.value;
    expect(formatMoment("2026-12-01T09:30:00Z").split(" ").at(-1)).toBe(zone);
  });
});
