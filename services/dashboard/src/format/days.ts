export const DAY_MS = 86_400_000;
const ISO_DAY_LENGTH = "2026-12-01".length;

/** The UTC day of a moment, `YYYY-MM-DD`. */
export function utcDayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, ISO_DAY_LENGTH);
}

/** The first UTC day of a period that ends today: `month`, or a number of days. */
export function firstDayOf(period: string, now: Date): string {
  if (period === "month") return `${utcDayOf(now.getTime()).slice(0, -2)}01`;
  const days = Number(period) > 0 ? Number(period) : 30;
  return utcDayOf(now.getTime() - (days - 1) * DAY_MS);
}

/** All UTC days from the first to the last, both included. */
export function daysBetween(from: string, to: string): string[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) =>
    utcDayOf(Date.parse(from) + index * DAY_MS),
  );
}
