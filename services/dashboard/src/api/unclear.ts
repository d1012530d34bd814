/** The value of a field for a date whose text is no date: no schema allows it. NaN is that of a field for a number. */
export const UNCLEAR_DATE = "no date";

/** Whether a value stands for a text that cannot be read, which is refused before it is sent. */
export function isUnclear(value: unknown): boolean {
  return value === UNCLEAR_DATE || Number.isNaN(value);
}
