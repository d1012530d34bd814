import type { Millicents } from "@diegetic/money";

/** Cents with exactly three decimals, exact for any size: 1234567 millicents are 1234.567. */
export function decimalCents(amount: Millicents): string {
  const digits = String(Math.abs(amount)).padStart(4, "0");
  return `${amount < 0 ? "-" : ""}${digits.slice(0, -3)}.${digits.slice(-3)}`;
}

/** Cents with exactly six decimals, from microcents that are not negative. */
export function decimalCentsOfMicrocents(amount: bigint): string {
  const digits = String(amount).padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
