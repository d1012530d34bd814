import type { Database } from "./database.ts";

/** The UTC day of an instant as `YYYY-MM-DD`. */
export function utcDay(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 10);
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
