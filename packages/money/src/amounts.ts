/** Advertiser money, in thousandths of a cent: a safe integer. */
export type Millicents = number;
/** Money in requests and responses: a safe integer. */
export type Cents = number;
/** Developer earnings and fees, in millionths of a cent. */
export type Microcents = bigint;
/** A share in hundredths of a percent: 7000 is 70 %. */
export type BasisPoints = number;

/** Maximum total deposits of one advertiser; larger integers would not be exact. */
export const MAX_MILLICENTS: Millicents = Number.MAX_SAFE_INTEGER;
/** One cent. */
export const MILLICENTS_PER_CENT = 1000;
const MICROCENTS_PER_MILLICENT = 1000n;
/** One cent. */
export const MICROCENTS_PER_CENT = 1_000_000n;
/** 100 % in basis points. */
export const WHOLE_BASIS_POINTS: BasisPoints = 10_000;

/** Thrown for an amount that is not a safe integer: a fraction, or too large to be exact. */
export class InexactMoney extends RangeError {
  override name = "InexactMoney";
}

/** Returns the value when it is a safe integer, else throws InexactMoney with `what` in its message. */
export function exact(value: number, what: string): number {
  if (!Number.isSafeInteger(value)) throw new InexactMoney(`${what} is not a safe integer: ${value}`);
  return value;
}

/** Converts whole cents to millicents. Throws InexactMoney above 2^53 − 1 millicents. */
export function centsToMillicents(cents: Cents): Millicents {
  return exact(exact(cents, "cents") * MILLICENTS_PER_CENT, "millicents");
}

/**
 * Microcents as a number of an answer: exact up to 2^53 − 1, beyond that (about 90 million dollars) the nearest double,
 * which is what most JSON readers would make of more digits.
 */
export function microcentsToNumber(microcents: Microcents): number {
  return Number(microcents);
}

/** Converts millicents to microcents exactly. */
export function millicentsToMicrocents(millicents: Millicents): Microcents {
  return BigInt(exact(millicents, "millicents")) * MICROCENTS_PER_MILLICENT;
}
