import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { isInTieBand, rankOf } from "./rank.ts";
import { drawWinner } from "./tie-draw.ts";

const contender = (rank: number, priority: number) => ({ rank, campaign: { priority } });

describe("rank", () => {
  it("is cpm_bid_cents × (1 + affinity_score)", () => {
    expect(rankOf(1000, 0)).toBe(1000);
    expect(rankOf(1000, 1.5)).toBe(2500);
    expect(rankOf(100, 0.1)).toBe(110);
  });

  it("ties within 1 % of the highest, the edge included", () => {
    for (let highest = 100; highest <= 10_000; highest += 100) {
      expect(isInTieBand((highest / 100) * 99, highest)).toBe(true);
      expect(isInTieBand((highest / 100) * 99 - 0.001, highest)).toBe(false);
    }
    expect(isInTieBand(rankOf(110, 0.8), rankOf(100, 1))).toBe(true);
    expect(isInTieBand(rankOf(109, 0.8), rankOf(100, 1))).toBe(false);
    expect(isInTieBand(rankOf(99, 0.1), rankOf(100, 0.1))).toBe(true);
  });
});

describe("tie draw", () => {
  it("gives each tied candidate exactly priority + 1 of the random numbers, the others none", () => {
    const candidate = fc.record({
      rank: fc.integer({ min: 9850, max: 10_000 }),
      priority: fc.integer({ min: 0, max: 10 }),
    });
    fc.assert(
      fc.property(fc.array(candidate, { minLength: 1, maxLength: 12 }), (list) => {
        const candidates = list.map(({ rank, priority }) => contender(rank, priority));
        const highest = Math.max(...list.map((one) => one.rank));
        const expected = list.map(({ rank, priority }) => (rank * 100 >= highest * 99 ? priority + 1 : 0));
        const cells = expected.reduce((sum, weight) => sum + weight, 0);
        const drawn = list.map(() => 0);
        for (let cell = 0; cell < cells; cell += 1) {
          const place = drawWinner(candidates, (cell + 0.5) / cells);
          drawn[place] = (drawn[place] ?? 0) + 1;
        }
        expect(drawn).toEqual(expected);
      }),
    );
  });

  it("takes every number from 0 to just below 1", () => {
    const candidates = [contender(100, 0), contender(99.5, 10), contender(50, 10)];
    expect(drawWinner(candidates, 0)).toBe(0);
    expect(drawWinner(candidates, 1 - Number.EPSILON / 2)).toBe(1);
    for (const random01 of [-0.1, 1, Number.NaN])
      expect(() => drawWinner(candidates, random01)).toThrow(RangeError);
  });

  it("refuses an empty list", () => {
    expect(() => drawWinner([], 0.5)).toThrow(RangeError);
  });
});
