import { firstDayOf, utcDayOf } from "../../format/days.ts";

const ROLLING = [
  { value: "90", label: "Last 90 days" },
  { value: "365", label: "Last 365 days" },
];

/** The UTC days of a period: a number of days that end today, or a calendar year ("y2025") up to today. */
export function ledgerPeriod(period: string, now: Date): { from: string; to: string } {
  const today = utcDayOf(now.getTime());
  const year = /^y(\d{4})$/.exec(period)?.[1];
  if (year === undefined || `${year}-01-01` > today) {
    const isRolling = ROLLING.some(({ value }) => value === period);
    return { from: firstDayOf(isRolling ? period : "90", now), to: today };
  }
  const end = `${year}-12-31`;
  return { from: `${year}-01-01`, to: end < today ? end : today };
}

/** The periods to choose from: the latest days, and each calendar year since registration, newest first. */
export function ledgerPeriods(
  registeredAt: string | undefined,
  now: Date,
): { value: string; label: string }[] {
  const thisYear = now.getUTCFullYear();
  const firstYear = registeredAt === undefined ? thisYear : new Date(registeredAt).getUTCFullYear();
  const years = Array.from({ length: Math.max(1, thisYear - firstYear + 1) }, (_, index) => thisYear - index);
  return [...ROLLING, ...years.map((year) => ({ value: `y${year}`, label: `Year ${year}` }))];
}
