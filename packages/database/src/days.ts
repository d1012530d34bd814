import type { Database } from "./database.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Those who ask for thousands ask for one day after the other. */
let last = { number: Number.NaN, day: "" };

/** The UTC day of an instant as `YYYY-MM-DD`. Throws RangeError where there is none. */
export function utcDay(unixMs: number): string {
  const number = Math.floor(unixMs / DAY_MS);
  if (number !== last.number) last = { number, day: new Date(unixMs).toISOString().slice(0, 10) };
  return last.day;
}

/** A day as Prisma wants it for a `date` column: midnight UTC. */
export function dateOfDay(day: string): Date {
  return new Date(`${day}T00:00:00.000Z`);
}

/**
 * Makes the partition of `impressions` for one UTC day (`YYYY-MM-DD`) where it is missing; true: it was missing.
 * Blocks neither readers nor writers of other days; any number of callers may ask at once.
 */
export async function ensureImpressionPartition(database: Database, day: string): Promise<boolean> {
  const rows = await database.$queryRaw<{ made: boolean }[]>`
    SELECT ensure_impression_partition(${day}::date) AS made`;
  return rows[0]?.made === true;
}
