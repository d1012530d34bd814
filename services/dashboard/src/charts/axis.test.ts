import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { axisTicks } from "./axis.ts";

describe("axisTicks", () => {
  it.each([
    { largest: 2_311, unit: 1, ticks: [0, 1_000, 2_000, 3_000] },
    { largest: 1_600, unit: 1, ticks: [0, 500, 1_000, 1_500, 2_000] },
    { largest: 543, unit: 1, ticks: [0, 200, 400, 600] },
    { largest: 7, unit: 1, ticks: [0, 2, 4, 6, 8] },
    { largest: 0, unit: 1, ticks: [0, 1] },
    { largest: 0.8, unit: 0.01, ticks: [0, 0.2, 0.4, 0.6000000000000001, 0.8] },
  ])("has round steps up to $largest", ({ largest, unit, ticks }) => {
    expect(axisTicks(largest, unit)).toEqual(ticks);
  });

  it("covers every largest value in one to four whole steps", () => {
    fc.assert(
      fc.property(fc.nat(), (largest) => {
        const ticks = axisTicks(largest, 1);
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(largest);
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect(ticks.length).toBeLessThanOrEqual(5);
        expect(ticks.every(Number.isInteger)).toBe(true);
      }),
    );
  });
});
