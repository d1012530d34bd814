import type { Database } from "./database.ts";

export const DAY_MS = 24 * 60 * 60 * 1_000;
/** Caches the last day, because callers with thousands of rows pass one day after the other. */
let last = { number: Number.NaN, day: "" };

/** The UTC day of an instant as `YYYY-MM-DD`. Throws RangeError for an invalid date. */
export function utcDay(unixMs: number): string {
  const number = Math.floor(unixMs / DAY_MS);
  if (number !== last.number) last = { number, day: new Date(unixMs).toISOString().slice(0, 10) };
  return last.day;
}

/** Converts a day to midnight UTC, as Prisma expects for a `date` column. */
export function dateOfDay(day: string): Date {
  return new Date(`${day}T00:00:00.000Z`);
}

/**
 * Creates the partition of `impressions` for one UTC day (`YYYY-MM-DD`) if it is missing. Blocks neither readers nor
 * writers of other days. Safe to call concurrently. False: the impressions of this day or one beside it were dropped, so
 * a record cannot be compared with them, and the day cannot be written.
 */
export async function ensureImpressionPartition(database: Database, day: string): Promise<boolean> {
  const rows = await database.$queryRaw<{ writable: boolean }[]>`
    SELECT ensure_impression_partition(${day}::date) IS NOT NULL AS writable`;
  return rows[0]?.writable === true;
}
