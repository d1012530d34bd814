import type { Database } from "@diegetic/database";

/** The days with a partition of `impressions`, and the estimated rows of each; -1: not known yet. */
export async function readPartitions(
  database: Pick<Database, "$queryRaw">,
): Promise<{ day: string; rows: number }[]> {
  return database.$queryRaw<{ day: string; rows: number }[]>`
    SELECT to_char(to_date(right(child.relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') AS day,
      child.reltuples::float8 AS rows
    FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
    WHERE inhparent = 'impressions'::regclass`;
}

/** Estimated number of impressions; a day without an estimate counts as 0. */
export async function countImpressions(database: Database): Promise<number> {
  const partitions = await readPartitions(database);
  return partitions.reduce((sum, { rows }) => sum + Math.max(0, rows), 0);
}
