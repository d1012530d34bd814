import {
  type BasisPoints,
  type Cents,
  exact,
  type Microcents,
  type Millicents,
  millicentsToMicrocents,
  WHOLE_BASIS_POINTS,
} from "./amounts.ts";
import { floorDivide } from "./rounding.ts";

/**
 * The price of one impression: `cpm_bid_cents / 1000` cents, which is exactly `cpm_bid_cents` millicents
 * (docs/behaviour.md#units).
 */
export function priceMillicents(cpmBidCents: Cents): Millicents {
  return notNegative(exact(cpmBidCents, "cpm bid"), "cpm bid");
}

/**
 * The developer's part of one impression, rounded half to even to whole microcents (docs/behaviour.md#units).
 * Throws RangeError when the share is not an integer from 0 to 10 000.
 */
export function earningMicrocents(price: Millicents, revenueShareBasisPoints: BasisPoints): Microcents {
  notNegative(price, "price");
  exact(revenueShareBasisPoints, "revenue share");
  if (revenueShareBasisPoints < 0 || revenueShareBasisPoints > WHOLE_BASIS_POINTS) {
    throw new RangeError(`revenue share is not within 0 and 10000 basis points: ${revenueShareBasisPoints}`);
  }
  return divideHalfToEven(
    millicentsToMicrocents(price) * BigInt(revenueShareBasisPoints),
    BigInt(WHOLE_BASIS_POINTS),
  );
}

/** The platform's part: charge − earning, so that charge, earning and fee always balance (docs/behaviour.md#units). */
export function feeMicrocents(price: Millicents, revenueShareBasisPoints: BasisPoints): Microcents {
  return millicentsToMicrocents(price) - earningMicrocents(price, revenueShareBasisPoints);
}

/** The charge in cents, exact and possibly fractional: 255 millicents are 0.255 (docs/behaviour.md#rounding). */
export function chargedCents(price: Millicents): number {
  return exact(price, "price") / 1000;
}

/** Spent cents per 1000 impressions, rounded half up; 0 without impressions (docs/behaviour.md#figures). */
export function effectiveCpmCents(spentMillicents: Millicents, impressions: number): Cents {
  notNegative(exact(impressions, "impressions"), "impressions");
  if (impressions === 0) return 0;
  // Millicents per impression are cents per thousand impressions.
  const count = BigInt(impressions);
  return Number(floorDivide(2n * BigInt(exact(spentMillicents, "spent")) + count, 2n * count));
}

/**
 * Converts a percentage to basis points: 70.25 → 7025. Undefined when it has more than two decimals
 * (docs/behaviour.md#numbers). The caller must check the range.
 */
export function percentToBasisPoints(percent: number): BasisPoints | undefined {
  const basisPoints = Math.round(percent * 100);
  return basisPoints / 100 === percent ? basisPoints : undefined;
}

/** Converts basis points to a percentage: 7025 → 70.25. */
export function basisPointsToPercent(basisPoints: BasisPoints): number {
  return exact(basisPoints, "basis points") / 100;
}

function notNegative(value: number, what: string): number {
  if (value < 0) throw new RangeError(`${what} is negative: ${value}`);
  return value;
}

/** @param dividend ≥ 0 @param divisor > 0 */
function divideHalfToEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twiceRest = (dividend % divisor) * 2n;
  const roundsUp = twiceRest > divisor || (twiceRest === divisor && quotient % 2n === 1n);
  return roundsUp ? quotient + 1n : quotient;
}
