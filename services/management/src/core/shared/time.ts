import { DAY_MS, utcDay } from "@diegetic/database";

/** Unix milliseconds. Passed in, so that rules and tests do not read the system clock. */
export type Clock = () => number;

/** A time in answers: ISO 8601 in UTC with milliseconds. */
export function timestamp(moment: Date): string {
  return moment.toISOString();
}

/** UTC days (YYYY-MM-DD) back from now, today first. */
export function lastDays(nowMs: number, count: number): string[] {
  return Array.from({ length: count }, (_, back) => utcDay(nowMs - back * DAY_MS));
}
