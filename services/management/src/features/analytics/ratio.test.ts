import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { meanOfMillionths, ratio } from "./ratio.ts";

describe("ratio", () => {
  it.each([
    [0, 0, 0],
    [5, 0, 0],
    [0, 3, 0],
    [1, 3, 0.3333],
    [2, 3, 0.6667],
    [1, 1, 1],
    // Exactly between two: up.
    [1, 20_000, 0.0001],
    [1, 20_001, 0],
    [100_005, 100_000, 1.0001],
  ])("of %i and %i is %d", (dividend, divisor, expected) => {
    expect(ratio(BigInt(dividend), BigInt(divisor))).toBe(expected);
  });

  it("is never further from the truth than half of its last digit", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 12n), fc.bigInt(10n ** 6n, 10n ** 9n), (dividend, divisor) => {
        const rounded = BigInt(Math.round(ratio(dividend, divisor) * 10_000));
        const distance = 2n * (rounded * divisor - dividend * 10_000n);
        expect(distance <= divisor && distance > -divisor).toBe(true);
      }),
    );
  });
});

describe("meanOfMillionths", () => {
  it.each([
    [0n, 0, 0],
    [1_250_000n, 1, 1.25],
    [100_000n, 3, 0.0333],
    [1_000_050n, 1, 1.0001],
  ])("of %i over %i is %d", (sum, count, expected) => {
    expect(meanOfMillionths(sum, count)).toBe(expected);
  });
});
