import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { InexactMoney, MAX_MILLICENTS, millicentsToMicrocents } from "./amounts.ts";
import {
  basisPointsToPercent,
  chargedCents,
  earningMicrocents,
  effectiveCpmCents,
  feeMicrocents,
  percentToBasisPoints,
  priceMillicents,
} from "./impression.ts";

const bid = fc.integer({ min: 100, max: 10_000 });
const share = fc.integer({ min: 0, max: 10_000 });

describe("price of an impression", () => {
  it("is exactly cpm_bid_cents millicents", () => {
    expect(priceMillicents(255)).toBe(255);
    expect(chargedCents(priceMillicents(255))).toBe(0.255);
    expect(JSON.stringify(chargedCents(priceMillicents(10_000)))).toBe("10");
    expect(() => priceMillicents(-1)).toThrow(RangeError);
    expect(() => priceMillicents(0.1)).toThrow(InexactMoney);
  });

  it("is the exact decimal when it is written in cents", () => {
    fc.assert(
      fc.property(bid, (cents) => {
        expect(chargedCents(cents)).toBe(
          Number(`${Math.trunc(cents / 1000)}.${`${cents % 1000}`.padStart(3, "0")}`),
        );
      }),
    );
  });
});

describe("earning and fee", () => {
  it.each([
    { price: 100, basisPoints: 7000, earning: 70_000n, why: "cpm_bid_cents × 10 × revenue_share_pct" },
    { price: 255, basisPoints: 3350, earning: 85_425n, why: "exact to one decimal of the percentage" },
    { price: 101, basisPoints: 5, earning: 50n, why: "50.5 goes to the even 50" },
    { price: 103, basisPoints: 5, earning: 52n, why: "51.5 goes to the even 52" },
    { price: 101, basisPoints: 6, earning: 61n, why: "60.6 goes to the nearest" },
    { price: 100, basisPoints: 0, earning: 0n, why: "no share" },
    { price: 100, basisPoints: 10_000, earning: 100_000n, why: "the whole" },
  ])("$price millicents at $basisPoints basis points: $earning ($why)", ({ price, basisPoints, earning }) => {
    expect(earningMicrocents(price, basisPoints)).toBe(earning);
  });

  it("charge = earning + fee, for every bid and share", () => {
    fc.assert(
      fc.property(fc.oneof(bid, fc.nat({ max: MAX_MILLICENTS })), share, (price, basisPoints) => {
        const earning = earningMicrocents(price, basisPoints);
        const fee = feeMicrocents(price, basisPoints);
        expect(earning + fee).toBe(millicentsToMicrocents(price));
        expect(earning >= 0n && fee >= 0n).toBe(true);
      }),
    );
  });

  it("is half to even of the exact rational price × 1000 × share ÷ 10000", () => {
    fc.assert(
      fc.property(fc.oneof(bid, fc.nat({ max: MAX_MILLICENTS })), share, (price, basisPoints) => {
        const earning = earningMicrocents(price, basisPoints);
        // Twice the distance to the exact value, in ten-thousandths of a microcent.
        const rest = BigInt(price) * 1000n * BigInt(basisPoints) - earning * 10_000n;
        const twice = 2n * (rest < 0n ? -rest : rest);
        expect(twice < 10_000n || (twice === 10_000n && earning % 2n === 0n)).toBe(true);
      }),
    );
  });

  it("refuses shares outside 0 to 10000 basis points, fractions and negative prices", () => {
    expect(() => earningMicrocents(100, 10_001)).toThrow(RangeError);
    expect(() => earningMicrocents(100, -1)).toThrow(RangeError);
    expect(() => earningMicrocents(100, 0.5)).toThrow(InexactMoney);
    expect(() => earningMicrocents(-1, 1)).toThrow(RangeError);
    expect(() => earningMicrocents(MAX_MILLICENTS + 1, 1)).toThrow(InexactMoney);
  });
});

describe("effective CPM", () => {
  it.each([
    { spent: 0, impressions: 0, cents: 0 },
    { spent: 500, impressions: 2, cents: 250 },
    { spent: 5, impressions: 2, cents: 3 },
    { spent: 4, impressions: 3, cents: 1 },
    { spent: MAX_MILLICENTS, impressions: 1, cents: MAX_MILLICENTS },
  ])("$spent millicents over $impressions impressions: $cents cents", ({ spent, impressions, cents }) => {
    expect(effectiveCpmCents(spent, impressions)).toBe(cents);
  });

  it("of impressions at one bid is that bid", () => {
    fc.assert(
      fc.property(bid, fc.integer({ min: 1, max: 1_000_000 }), (cents, impressions) => {
        expect(effectiveCpmCents(priceMillicents(cents) * impressions, impressions)).toBe(cents);
      }),
    );
  });
});

describe("percentages", () => {
  it("are basis points when they have at most two decimals", () => {
    expect(percentToBasisPoints(70)).toBe(7000);
    expect(percentToBasisPoints(33.33)).toBe(3333);
    expect(percentToBasisPoints(0.07)).toBe(7);
    expect(percentToBasisPoints(33.333)).toBeUndefined();
    expect(percentToBasisPoints(Number.NaN)).toBeUndefined();
  });

  it("survive the round trip, all 10001 of them", () => {
    for (let basisPoints = 0; basisPoints <= 10_000; basisPoints += 1) {
      expect(percentToBasisPoints(basisPointsToPercent(basisPoints))).toBe(basisPoints);
    }
  });
});
