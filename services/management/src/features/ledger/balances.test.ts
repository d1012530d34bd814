import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { decimalCents } from "../../core/shared/decimal-cents.ts";
import { daysOf, readPeriod } from "../../core/shared/period.ts";
import { closeDays, type DayMoves, totalsOf } from "./balances.ts";

const NOW_MS = Date.UTC(2026, 10, 21, 12);
const period = (query: string) => {
  const { from, to } = readPeriod(new URLSearchParams(query), NOW_MS);
  return { from, to };
};

describe("period", () => {
  it.each([
    ["", "2026-10-23", "2026-11-21"],
    ["days=1", "2026-11-21", "2026-11-21"],
    ["days=2&to=2026-03-01", "2026-02-28", "2026-03-01"],
    ["from=2026-11-01", "2026-11-01", "2026-11-21"],
    ["from=2026-11-01&to=2026-11-02&days=7", "2026-11-01", "2026-11-02"],
    ["from=2026-11-20&to=2030-01-01", "2026-11-20", "2026-11-21"],
    ["from=2026-11-21&to=2026-11-21", "2026-11-21", "2026-11-21"],
    ["to=2030-01-01", "2026-10-23", "2026-11-21"],
    ["days=2&to=2030-01-01", "2026-11-20", "2026-11-21"],
    ["from=2025-11-21", "2025-11-21", "2026-11-21"],
  ])("?%s is %s to %s", (query, from, to) => expect(period(query)).toEqual({ from, to }));

  it.each([
    ["days=0", 422],
    ["days=367", 422],
    ["days=abc", 400],
    ["days=", 400],
    ["from=2026-02-30", 400],
    ["from=", 400],
    ["to=20261121", 400],
    ["from=2026-11-02&to=2026-11-01", 422],
    ["from=2026-11-22&to=2026-11-21", 422],
    ["from=2026-11-22", 422],
    ["from=2025-11-20", 422],
    ["to=0000-01-01", 422],
    ["from=0001-01-01&to=0001-01-02", 422],
  ])("refuses ?%s with %i", (query, status) => {
    expect(() => period(query)).toThrow(expect.objectContaining({ status }));
  });

  it("has every day from the first to the last", () => {
    expect(daysOf(period("from=2026-11-20"))).toEqual(["2026-11-20", "2026-11-21"]);
  });

  it.each(["from=2027-01-01", "from=2027-01-01&to=2027-02-01", "from=2027-02-01&to=2027-01-01"])(
    "that begins after today is refused: ?%s",
    (query) => {
      const detail = expect.stringMatching(/^from must not be after today: 2027-0\d-01 is after 2026-11-21$/);
      expect(() => period(query)).toThrow(expect.objectContaining({ status: 422, message: detail }));
    },
  );
});

describe("balances", () => {
  it("close every day, whatever moved before, on and after the days", () => {
    const amount = fc.integer({ min: 0, max: 1_000_000_000 });
    const move = fc.record({ depositsMillicents: amount, chargesMillicents: amount, impressions: amount });
    const days = ["2026-11-01", "2026-11-02", "2026-11-03"];
    const moves = fc.dictionary(fc.constantFrom(...days, "2026-11-04"), move);
    fc.assert(
      fc.property(amount, moves, (before, moved) => {
        const moveMap = new Map<string, DayMoves>(Object.entries(moved));
        const all = [...moveMap.values()];
        const balance = all.reduce((sum, m) => sum + m.depositsMillicents - m.chargesMillicents, before);
        const rows = closeDays(days, balance, moveMap);
        expect(rows.map(({ day }) => day)).toEqual(days);
        expect(rows[0]?.openingMillicents).toBe(before);
        rows.forEach((row, i) => {
          const { openingMillicents, depositsMillicents, chargesMillicents, closingMillicents } = row;
          expect(openingMillicents + depositsMillicents - chargesMillicents).toBe(closingMillicents);
          if (i > 0) expect(openingMillicents).toBe(rows[i - 1]?.closingMillicents);
        });
      }),
    );
  });

  it("return unwritten spending as held", () => {
    const ledger = { depositedMillicents: 1_000, spentMillicents: 100, impressions: 1 };
    const held = (spentMillicents: number, heldMillicents: number) =>
      totalsOf(ledger, { spentMillicents, heldMillicents });
    expect(held(100, 200)).toMatchObject({ heldMillicents: 200, balanceMillicents: 700 });
    expect(held(150, 150)).toMatchObject({ heldMillicents: 200, balanceMillicents: 700 });
    expect(held(0, 0)).toMatchObject({ heldMillicents: 0, balanceMillicents: 900 });
    expect(held(0, 5_000)).toMatchObject({ heldMillicents: 900, balanceMillicents: 0 });
  });

  it.each([
    [0, "0.000"],
    [1, "0.001"],
    [-20, "-0.020"],
    [1_234_567, "1234.567"],
    [Number.MAX_SAFE_INTEGER, "9007199254740.991"],
  ])("%i millicents are %s cents", (amount, text) => expect(decimalCents(amount)).toBe(text));
});
