/**
 * Converts a 64-bit column to a number. Throws RangeError beyond ±(2^53 − 1), where numbers are not exact.
 */
export function safeInteger(value: bigint, what: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${what} is not a safe integer: ${value}`);
  return number;
}
