import { describe, expect, it } from "@jest/globals";
import { tableOrder } from "./chart-data.ts";

const NOW = new Date("2026-12-02T13:10:00Z");
const rowsOf = (...points: string[]) => points.map((date) => ({ date }));

describe("tableOrder", () => {
  it("begins with today and goes back; what is ahead follows", () => {
    const rows = rowsOf("2026-12-01", "2026-12-02", "2026-12-03", "2026-12-04");
    expect(tableOrder(rows, "date", NOW)).toEqual({
      past: rowsOf("2026-12-02", "2026-12-01"),
      ahead: rowsOf("2026-12-03", "2026-12-04"),
    });
  });

  it("begins with the running hour", () => {
    const rows = rowsOf("2026-12-02T12:00:00.000Z", "2026-12-02T13:00:00.000Z");
    expect(tableOrder(rows, "date", NOW).past[0]).toEqual({ date: "2026-12-02T13:00:00.000Z" });
  });
});
