import type { Database } from "@diegetic/database";

/** The days of which `impressions` has a partition, and about how many rows each has; -1: that is not known yet. */
export async function readPartitions(database: Database): Promise<{ day: string; rows: number }[]> {
  return database.$queryRaw<{ day: string; rows: number }[]>`
    SELECT to_char(to_date(right(child.relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') AS day,
      child.reltuples::float8 AS rows
    FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
    WHERE inhparent = 'impressions'::regclass`;
}

/** About how many impressions there are; a day of which that is not known yet counts none. */
export async function readImpressionCount(database: Database): Promise<number> {
  const partitions = await readPartitions(database);
  return partitions.reduce((sum, { rows }) => sum + Math.max(0, rows), 0);
}
