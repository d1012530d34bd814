/** Unix milliseconds; passed in, so that rules and tests do not read the system's clock. */
export type Clock = () => number;

/** A moment as answers show it: ISO 8601 in UTC with milliseconds. */
export function timestamp(moment: Date): string {
  return moment.toISOString();
}
