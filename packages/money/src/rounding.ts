import {
  type Cents,
  exact,
  MICROCENTS_PER_CENT,
  MILLICENTS_PER_CENT,
  type Microcents,
  type Millicents,
} from "./amounts.ts";

/** Rounds towards −∞: for balances (docs/behaviour.md#rounding). */
export function centsDown(millicents: Millicents): Cents {
  // The division cannot round up to the next integer: below 2^53 / 1000, half an ulp is less than 1/1000.
  return Math.floor(exact(millicents, "millicents") / MILLICENTS_PER_CENT);
}

/** Rounds towards +∞: for spent amounts (docs/behaviour.md#rounding). */
export function centsUp(millicents: Millicents): Cents {
  return -centsDown(-millicents) || 0;
}

/** Rounds half up: for rows of analytics (docs/behaviour.md#rounding). */
export function centsHalfUp(millicents: Millicents): Cents {
  const whole = centsDown(millicents);
  return millicents - whole * MILLICENTS_PER_CENT >= MILLICENTS_PER_CENT / 2 ? whole + 1 : whole;
}

/** Rounds towards −∞: for earned amounts (docs/behaviour.md#rounding). */
export function microcentsToCentsDown(microcents: Microcents): Cents {
  return exact(Number(floorDivide(microcents, MICROCENTS_PER_CENT)), "cents");
}

/** ⌊dividend ÷ divisor⌋ for a positive divisor; BigInt division truncates towards zero. */
export function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
}
