const TEN_THOUSAND = 10_000n;

/** dividend ÷ divisor to four decimals, half up; 0 when there is nothing to divide by. For what is not negative. */
export function ratio(dividend: bigint, divisor: bigint): number {
  if (divisor === 0n) return 0;
  return Number((2n * dividend * TEN_THOUSAND + divisor) / (2n * divisor)) / Number(TEN_THOUSAND);
}

/** The mean of a sum in millionths, to four decimals, half up; 0 of nothing (docs/behaviour.md#figures). */
export function meanOfMillionths(sumMillionths: bigint, count: number): number {
  return ratio(sumMillionths, BigInt(count) * 1_000_000n);
}
