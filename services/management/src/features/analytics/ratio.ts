const TEN_THOUSAND = 10_000n;

/** dividend ÷ divisor to four decimals, rounded half up; 0 when the divisor is 0. Operands must not be negative. */
export function ratio(dividend: bigint, divisor: bigint): number {
  if (divisor === 0n) return 0;
  return Number((2n * dividend * TEN_THOUSAND + divisor) / (2n * divisor)) / Number(TEN_THOUSAND);
}

/** Mean of a sum in millionths, to four decimals, rounded half up; 0 when count is 0 (docs/behaviour.md#figures). */
export function meanOfMillionths(sumMillionths: bigint, count: number): number {
  return ratio(sumMillionths, BigInt(count) * 1_000_000n);
}
