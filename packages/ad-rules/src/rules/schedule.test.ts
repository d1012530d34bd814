import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { campaign, placement } from "../../tests/builders.ts";
import { eligibleCandidate } from "../../tests/eligible-candidate.ts";
import { parseDate } from "./schedule.ts";

const runs = (start_date: string | null, end_date: string | null, now: string) =>
  eligibleCandidate(campaign({ start_date, end_date }), {
    placement: placement(),
    context: {},
    geo: null,
    nowMs: Date.parse(now),
  }) !== null;

describe("rule 1: now within start_date..end_date", () => {
  it.each([
    { start: null, end: null, now: "2026-01-01T00:00:00Z", within: true },
    { start: "2026-03-01", end: null, now: "2026-02-28T23:59:59.999Z", within: false },
    { start: "2026-03-01", end: null, now: "2026-03-01T00:00:00.000Z", within: true },
    { start: null, end: "2026-03-01", now: "2026-03-01T23:59:59.999Z", within: true },
    { start: null, end: "2026-03-01", now: "2026-03-02T00:00:00.000Z", within: false },
    { start: "2026-03-01", end: "2026-03-01", now: "2026-03-01T12:00:00Z", within: true },
    { start: "2026-03-01T10:00:00Z", end: null, now: "2026-03-01T09:59:59.999Z", within: false },
    { start: "2026-03-01T10:00:00Z", end: null, now: "2026-03-01T10:00:00.000Z", within: true },
    { start: null, end: "2026-03-01T10:00:00Z", now: "2026-03-01T10:00:00.000Z", within: true },
    { start: null, end: "2026-03-01T10:00:00Z", now: "2026-03-01T10:00:00.001Z", within: false },
    { start: "2026-03-01T00:00:00+02:00", end: null, now: "2026-02-28T22:00:00Z", within: true },
    { start: "2026-03-01T00:00:00+02:00", end: null, now: "2026-02-28T21:59:59Z", within: false },
    { start: null, end: "2026-03-01T00:00:00-05:00", now: "2026-03-01T05:00:00Z", within: true },
    { start: "soon", end: null, now: "2026-03-01T05:00:00Z", within: false },
  ])("$start .. $end at $now: $within", ({ start, end, now, within }) => {
    expect(runs(start, end, now)).toBe(within);
  });
});

describe("dates", () => {
  it.each([
    ["2026-03-01T10:00", "2026-03-01T10:00:00.000Z"],
    ["2026-03-01T10:00:05", "2026-03-01T10:00:05.000Z"],
    ["2026-03-01t10:00:05z", "2026-03-01T10:00:05.000Z"],
    ["2026-03-01 10:00:05Z", "2026-03-01T10:00:05.000Z"],
    ["2026-03-01T10:00:05.5Z", "2026-03-01T10:00:05.500Z"],
    ["2026-03-01T10:00:05.123999Z", "2026-03-01T10:00:05.123Z"],
    ["2026-03-01T10:00:05+0530", "2026-03-01T04:30:05.000Z"],
    ["2026-03-01T10:00:05+05", "2026-03-01T05:00:05.000Z"],
    ["2026-06-30T23:59:60Z", "2026-07-01T00:00:00.000Z"],
  ])("%j is the instant %j", (text, instant) => {
    const parsed = parseDate(text);
    expect(parsed?.firstMs).toBe(Date.parse(instant));
    expect(parsed?.lastMs).toBe(parsed?.firstMs);
  });

  it.each(["", "2026", "2026-13-01", "2026-03-01T25:00Z", "2026-03-01T10:00:61Z", "March 1", "1772323200"])(
    "%j is none",
    (text) => {
      expect(parseDate(text)).toBeUndefined();
    },
  );

  it("reads what toISOString writes", () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true }), (date) => {
        expect(parseDate(date.toISOString())?.firstMs).toBe(date.getTime());
        const day = parseDate(date.toISOString().slice(0, 10));
        expect(day && day.firstMs <= date.getTime() && date.getTime() <= day.lastMs).toBe(true);
      }),
    );
  });
});
