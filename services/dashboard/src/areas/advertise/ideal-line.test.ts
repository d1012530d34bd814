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
  status: "active" as const,
  budget_cents: 1_000,
  daily_cap_cents: null,
  start_date: "2026-12-01",
  end_date: "2026-12-10",
};

const OPEN = { days_active: 3, pacing_status: "on_pace" } as const;

describe("spendRows", () => {
  it("cumulates what was spent, beside an equal share of the budget a day", () => {
    const rows = spendRows(flight, [day("2026-12-02", 150), day("2026-12-01", 50)], {
      spent_millicents: 200_000,
      avg_daily_spend_cents: 0,
      projected_exhaustion_date: null,
      ...OPEN,
    });
    expect(rows).toEqual([
      { date: "2026-12-01", spent: 50, ideal: 100, projected: null },
      { date: "2026-12-02", spent: 200, ideal: 200, projected: 200 },
    ]);
  });

  it("ends with the last UTC day of an end date with an offset", () => {
    const early = { ...flight, end_date: "2026-12-04T00:30:00+02:00" };
    const rows = spendRows(early, [day("2026-12-01", 100)], {
      spent_millicents: 100_000,
      avg_daily_spend_cents: 100,
      projected_exhaustion_date: null,
      ...OPEN,
    });
    expect(rows.map(({ date }) => date)).toEqual(["2026-12-01", "2026-12-02", "2026-12-03"]);
    expect(rows.at(-1)?.ideal).toBe(1_000);
  });

  it("starts at what was spent before the days that are shown", () => {
    const [first] = spendRows(flight, [day("2026-12-05", 100)], {
      spent_millicents: 500_000,
      avg_daily_spend_cents: 0,
      projected_exhaustion_date: null,
      ...OPEN,
    });
    expect(first?.spent).toBe(500);
  });

  it("leads on at the average until the budget is spent", () => {
    const open = { ...flight, start_date: null, end_date: null };
    const rows = spendRows(open, [day("2026-12-01", 400)], {
      spent_millicents: 400_000,
      avg_daily_spend_cents: 400,
      projected_exhaustion_date: "2026-12-03",
      ...OPEN,
    });
    expect(rows.map(({ date, projected }) => [date, projected])).toEqual([
      ["2026-12-01", 400],
      ["2026-12-02", 800],
      ["2026-12-03", 1_000],
    ]);
    expect(rows.every(({ ideal }) => ideal === null)).toBe(true);
  });

  it("leads on to the end of the balance, and at most twice as far as the days so far", () => {
    const open = { ...flight, budget_cents: 100_000, start_date: null, end_date: null };
    const days = [day("2026-12-03", 10), day("2026-12-02", 10), day("2026-12-01", 10)];
    const pacing = {
      spent_millicents: 30_000,
      avg_daily_spend_cents: 10,
      projected_exhaustion_date: "2054-04-22",
      ...OPEN,
    };
    expect(spendRows(open, days, pacing).at(-1)).toMatchObject({ date: "2026-12-09", projected: 90 });
    expect(spendRows(open, days, pacing, 15).at(-1)).toMatchObject({ date: "2026-12-05", projected: 45 });
    expect(spendRows({ ...open, status: "paused" }, days, pacing).at(-1)?.date).toBe("2026-12-03");
    expect(spendRows(open, days, { ...pacing, days_active: 2 }).at(-1)?.date).toBe("2026-12-03");
    const spent = spendRows(open, days, { ...pacing, pacing_status: "exhausted" });
    expect(spent.at(-1)?.date).toBe("2026-12-03");
  });

  it("leads nowhere once the campaign has ended", () => {
    const rows = spendRows(flight, [day("2026-12-12", 0), day("2026-12-11", 0)], {
      spent_millicents: 400_000,
      avg_daily_spend_cents: 40,
      projected_exhaustion_date: "2026-12-27",
      ...OPEN,
    });
    expect(rows.map(({ date }) => date)).toEqual(["2026-12-11", "2026-12-12"]);
  });

  describe("of a campaign with a cap and no dates", () => {
    const capped = {
      ...flight,
      budget_cents: 60_000,
      daily_cap_cents: 1_000,
      start_date: null,
      end_date: null,
    };
    const idealOf = (campaign: typeof capped, days: ReturnType<typeof day>[], pacing: object) =>
      spendRows(campaign, days, {
        spent_millicents: 0,
        avg_daily_spend_cents: 0,
        projected_exhaustion_date: null,
        ...OPEN,
        ...pacing,
      }).map(({ ideal }) => ideal);
    const twoDays = [day("2026-12-02", 800), day("2026-12-01", 800)];

    it("plans one cap for every day since the activation, also before the days that are shown", () => {
      expect(idealOf(capped, twoDays, { days_active: 60 })).toEqual([59_000, 60_000]);
      expect(idealOf({ ...capped, budget_cents: 59_500 }, twoDays, { days_active: 61 })).toEqual([
        59_500, 59_500,
      ]);
    });

    it("plans nothing for days before the activation", () => {
      expect(idealOf(capped, twoDays, { days_active: 1 })).toEqual([0, 1_000]);
    });

    it("plans nothing before its start", () => {
      expect(idealOf(capped, twoDays, { days_active: null })).toEqual([null, null]);
      expect(idealOf(capped, twoDays, { days_active: 2, pacing_status: "not_started" })).toEqual([
        null,
        null,
      ]);
    });
  });
});
