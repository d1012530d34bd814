import { describe, expect, it } from "@jest/globals";
import { spendRows } from "./ideal-line.ts";

const day = (date: string, spent: number) => ({
  date,
  impressions: 1,
  unique_users: 1,
  spent_cents: spent,
  spent_millicents: spent * 1_000,
  avg_affinity_score: 0,
});
const flight = {
  budget_cents: 1_000,
  daily_cap_cents: null,
  start_date: "2026-12-01",
  end_date: "2026-12-10",
};

describe("spendRows", () => {
  it("cumulates what was spent, beside an equal share of the budget a day", () => {
    const rows = spendRows(flight, [day("2026-12-02", 150), day("2026-12-01", 50)], {
      spent_millicents: 200_000,
      avg_daily_spend_cents: 0,
      projected_exhaustion_date: null,
    });
    expect(rows).toEqual([
      { date: "2026-12-01", spent: 50, ideal: 100, projected: null },
      { date: "2026-12-02", spent: 200, ideal: 200, projected: 200 },
    ]);
  });

  it("starts at what was spent before the days that are shown", () => {
    const [first] = spendRows(flight, [day("2026-12-05", 100)], {
      spent_millicents: 500_000,
      avg_daily_spend_cents: 0,
      projected_exhaustion_date: null,
    });
    expect(first?.spent).toBe(500);
  });

  it("leads on at the average until the budget is spent", () => {
    const open = { ...flight, start_date: null, end_date: null };
    const rows = spendRows(open, [day("2026-12-01", 400)], {
      spent_millicents: 400_000,
      avg_daily_spend_cents: 400,
      projected_exhaustion_date: "2026-12-03",
    });
    expect(rows.map(({ date, projected }) => [date, projected])).toEqual([
      ["2026-12-01", 400],
      ["2026-12-02", 800],
      ["2026-12-03", 1_000],
    ]);
    expect(rows.every(({ ideal }) => ideal === null)).toBe(true);
  });
});
