import { describe, expect, it } from "@jest/globals";
import { daysBetween, firstDayOf } from "../../format/days.ts";
import { advertiserChoices, earnedByDay, sumsByGame } from "./earnings-rows.ts";

const now = new Date("2026-03-02T23:59:00Z");

describe("the days of the earnings", () => {
  it("begins a month with its first day, and counts back with today", () => {
    expect(firstDayOf("month", now)).toBe("2026-03-01");
    expect(firstDayOf("30", now)).toBe("2026-02-01");
    expect(firstDayOf("nonsense", now)).toBe("2026-02-01");
  });

  it("shows days without earnings as zeros, and sums up games", () => {
    const row = (date: string, game_id: string, earned_microcents: number) => ({
      date,
      game_id,
      earned_microcents,
      impressions: 1,
    });
    const rows = [row("2026-03-02", "a", 5), row("2026-03-02", "b", 7), row("2026-02-28", "a", 1)];
    expect(earnedByDay(rows, daysBetween("2026-02-28", "2026-03-02"))).toEqual([
      { date: "2026-02-28", earned: 1 },
      { date: "2026-03-01", earned: 0 },
      { date: "2026-03-02", earned: 12 },
    ]);
    expect([...sumsByGame(rows)]).toEqual([
      ["a", { earned: 6, impressions: 2 }],
      ["b", { earned: 7, impressions: 1 }],
    ]);
  });
});

describe("the advertisers that can be chosen", () => {
  const row = (advertiser_id: string | null, company_name: string | null) => ({
    advertiser_id,
    company_name,
    brand_names: [],
    impressions: 1,
    earned_microcents: 1,
    total_earned_microcents: 1,
  });

  it("are those that are known, by name, told apart where they share it", () => {
    const rows = [row("adv_b", "Brook"), row(null, null), row("adv_c", "Alder"), row("adv_a", "Brook")];
    expect(advertiserChoices(rows)).toEqual([
      { value: "adv_c", label: "Alder" },
      { value: "adv_a", label: "Brook (adv_a)" },
      { value: "adv_b", label: "Brook (adv_b)" },
    ]);
  });
});
