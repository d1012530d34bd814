/**
 * A 64-bit column as a number: impressions, millicents. Throws RangeError beyond ±(2^53 − 1), where it would no longer be exact.
 */
export function safeInteger(value: bigint, what: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${what} is not a safe integer: ${value}`);
  return number;
}
