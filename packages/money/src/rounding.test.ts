import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { centsToMillicents, InexactMoney, MAX_MILLICENTS, microcentsToNumber } from "./amounts.ts";
import { centsDown, centsHalfUp, centsUp, microcentsToCentsDown } from "./rounding.ts";

const millicents = fc.maxSafeInteger();
const microcents = fc.bigInt({ min: -(10n ** 21n), max: 10n ** 21n });

describe("rounding of millicents", () => {
  it.each([
    { amount: 0, down: 0, up: 0, halfUp: 0 },
    { amount: 1, down: 0, up: 1, halfUp: 0 },
    { amount: 499, down: 0, up: 1, halfUp: 0 },
    { amount: 500, down: 0, up: 1, halfUp: 1 },
    { amount: 1000, down: 1, up: 1, halfUp: 1 },
    { amount: -500, down: -1, up: 0, halfUp: 0 },
    { amount: MAX_MILLICENTS, down: 9_007_199_254_740, up: 9_007_199_254_741, halfUp: 9_007_199_254_741 },
  ])("$amount", ({ amount, down, up, halfUp }) => {
    expect({ down: centsDown(amount), up: centsUp(amount), halfUp: centsHalfUp(amount) }).toEqual({
      down,
      up,
      halfUp,
    });
  });

  it("rounds down, up and half up by the definition, over all safe integers", () => {
    fc.assert(
      fc.property(millicents, (amount) => {
        const exactly = BigInt(amount);
        const down = BigInt(centsDown(amount)) * 1000n;
        const up = BigInt(centsUp(amount)) * 1000n;
        const halfUp = BigInt(centsHalfUp(amount)) * 1000n;
        expect(down <= exactly && exactly - down < 1000n).toBe(true);
        expect(up >= exactly && up - exactly < 1000n).toBe(true);
        expect(exactly - halfUp < 500n && halfUp - exactly <= 500n).toBe(true);
      }),
    );
  });

  it("keeps balance + spent = deposits in whole cents, at any spend", () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 9_007_199_254_740 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (cents, part) => {
          const deposited = centsToMillicents(cents);
          const spent = Math.floor(deposited * part);
          expect(centsDown(deposited - spent) + centsUp(spent)).toBe(cents);
        },
      ),
    );
  });

  it("refuses fractions and amounts that are no longer exact", () => {
    for (const amount of [0.5, Number.NaN, Number.POSITIVE_INFINITY, MAX_MILLICENTS + 1]) {
      expect(() => centsDown(amount)).toThrow(InexactMoney);
      expect(() => centsUp(amount)).toThrow(InexactMoney);
      expect(() => centsHalfUp(amount)).toThrow(InexactMoney);
    }
    expect(() => centsToMillicents(9_007_199_254_741)).toThrow(InexactMoney);
  });
});

describe("rounding of microcents", () => {
  it("rounds down by the definition", () => {
    fc.assert(
      fc.property(microcents, (amount) => {
        const down = BigInt(microcentsToCentsDown(amount)) * 1_000_000n;
        expect(down <= amount && amount - down < 1_000_000n).toBe(true);
      }),
    );
  });
});

describe("microcents as a number", () => {
  it.each([
    [0n, 0],
    [9_007_199_254_740_991n, Number.MAX_SAFE_INTEGER],
    [9_007_199_254_740_993n, 9_007_199_254_740_992],
    [9_100_000_000_000_001n, 9_100_000_000_000_000],
  ])("%i", (microcents, number) => expect(microcentsToNumber(microcents)).toBe(number));
});
