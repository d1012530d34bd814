import { describe, expect, it } from "@jest/globals";
import { ledgerPeriod, ledgerPeriods } from "./ledger-period.ts";

const now = new Date("2026-11-23T10:00:00Z");

describe("ledgerPeriod", () => {
  it.each([
    ["90", "2026-08-26", "2026-11-23"],
    ["365", "2025-11-24", "2026-11-23"],
    ["y2026", "2026-01-01", "2026-11-23"],
    ["y2024", "2024-01-01", "2024-12-31"],
    ["y2027", "2026-08-26", "2026-11-23"],
    ["5000", "2026-08-26", "2026-11-23"],
    ["nonsense", "2026-08-26", "2026-11-23"],
  ])("reads %s", (period, from, to) => {
    expect(ledgerPeriod(period, now)).toEqual({ from, to });
  });
});

describe("ledgerPeriods", () => {
  it("offers every year since registration", () => {
    const values = ledgerPeriods("2024-12-31T23:59:59Z", now).map(({ value }) => value);
    expect(values).toEqual(["90", "365", "y2026", "y2025", "y2024"]);
  });

  it("offers this year while the registration is unknown", () => {
    expect(ledgerPeriods(undefined, now).map(({ value }) => value)).toEqual(["90", "365", "y2026"]);
  });
});
