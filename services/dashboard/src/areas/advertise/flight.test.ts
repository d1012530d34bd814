import { describe, expect, it } from "@jest/globals";
import { flightDays, momentOfDate } from "./flight.ts";

describe("the dates of a campaign", () => {
  it("are UTC days, whatever offset they were given in, and moments where they have a time", () => {
    const dates = { start_date: "2026-03-01T22:00:00-05:00", end_date: "2026-03-31T12:00:00Z" };
    expect(flightDays(dates)).toEqual({ first: "2026-03-02", last: "2026-03-31" });
    expect([dates.start_date, dates.end_date].map(momentOfDate)).toEqual([
      "2026-03-02T03:00:00.000Z",
      "2026-03-31T12:00:00.000Z",
    ]);
    expect(["2026-03-31", null, undefined, "soon"].map(momentOfDate)).toEqual(Array(4).fill(undefined));
  });
});
