import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { isInTieBand, lowestTie, lowestTyingBid, rankOf } from "./rank.ts";

const million = 1_000_000n;
const bid = fc.integer({ min: 1, max: 10_000_000 });
const scoreMillionths = fc.integer({ min: 0, max: 150_000_000 });
const rankInMillionths = (cents: number, score: number) => BigInt(Math.round(rankOf(cents, score) * 1e6));

describe("rank", () => {
  it("is cpm_bid_cents × (1 + score ÷ (1 + score))", () => {
    expect(rankOf(1000, 0)).toBe(1000);
    expect(rankOf(1000, 1)).toBe(1500);
    expect(rankOf(1000, 4)).toBe(1800);
    expect(rankOf(300, 0.5)).toBe(399.9999);
    expect(rankOf(2500, 0)).toBeGreaterThan(rankOf(1000, 50 * 3));
  });

  it("is exact: the factor is rounded to millionths as integers of any size would be", () => {
    fc.assert(
      fc.property(bid, scoreMillionths, (cents, score) => {
        const divisor = million + BigInt(score);
        // Half a millionth of the quotient is rounded up.
        const factor = 2n * million - (2n * million * million + divisor) / (2n * divisor);
        expect(rankInMillionths(cents, score / 1e6)).toBe(BigInt(cents) * factor);
      }),
      { numRuns: 5_000 },
    );
  });

  it("grows with the bid, never falls with the score, and stays below double the bid", () => {
    fc.assert(
      fc.property(bid, scoreMillionths, scoreMillionths, (cents, one, other) => {
        const [low, high] = [Math.min(one, other) / 1e6, Math.max(one, other) / 1e6];
        expect(rankOf(cents, low)).toBeLessThanOrEqual(rankOf(cents, high));
        expect(rankOf(cents, low)).toBeLessThan(rankOf(cents + 1, low));
        expect(rankOf(cents, low)).toBeGreaterThanOrEqual(cents);
        expect(rankOf(cents, high)).toBeLessThan(2 * cents);
      }),
      { numRuns: 5_000 },
    );
  });

  it("is in the tie from the lowest tying bid on, and not with a cent less", () => {
    fc.assert(
      fc.property(bid, scoreMillionths, scoreMillionths, (cents, rival, own) => {
        const highest = rankOf(cents, rival / 1e6);
        const lowest = lowestTyingBid(highest, own / 1e6);
        const isInside = (one: number) => {
          const rank = rankOf(one, own / 1e6);
          return isInTieBand(rank, Math.max(rank, highest));
        };
        expect([isInside(lowest), isInside(lowest - 1)]).toEqual([true, false]);
      }),
      { numRuns: 5_000 },
    );
  });

  it("ties within 1 % of the highest, the edge included", () => {
    for (let highest = 100; highest <= 10_000; highest += 100) {
      expect(isInTieBand((highest / 100) * 99, highest)).toBe(true);
      expect(isInTieBand((highest / 100) * 99 - 0.001, highest)).toBe(false);
    }
    expect(isInTieBand(rankOf(1296, 0.6), rankOf(1000, 4))).toBe(true);
    expect(isInTieBand(rankOf(1295, 0.6), rankOf(1000, 4))).toBe(false);
    expect(isInTieBand(rankOf(99, 0.1), rankOf(100, 0.1))).toBe(true);
  });

  it("ties exactly", () => {
    fc.assert(
      fc.property(bid, bid, scoreMillionths, scoreMillionths, (one, other, oneScore, otherScore) => {
        const [rank, highest] = [rankOf(one, oneScore / 1e6), rankOf(other, otherScore / 1e6)];
        const exactly =
          rankInMillionths(one, oneScore / 1e6) * 100n >= rankInMillionths(other, otherScore / 1e6) * 99n;
        expect(isInTieBand(rank, highest)).toBe(exactly);
        const edge = BigInt(Math.round(lowestTie(highest) * 1e6));
        const whole = rankInMillionths(other, otherScore / 1e6);
        expect(edge * 100n >= whole * 99n && (edge - 1n) * 100n < whole * 99n).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });
});
