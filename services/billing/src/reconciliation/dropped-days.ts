import { type Database, Prisma } from "@diegetic/database";

/** Subject that stands for all days whose impressions were dropped. */
export const DROPPED_DAYS = Prisma.sql`'dropped days'`;

/** The day of a row as text. All dropped days are one. */
export function dayOrDropped(day: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`CASE WHEN ${day} IN (SELECT day FROM dropped_impression_days) THEN ${DROPPED_DAYS}
    ELSE ${day}::text END`;
}

/** Of each campaign, `found`: an aggregate of its impressions plus the same sum of those that were dropped. */
export function foundByCampaign(ofRows: Prisma.Sql, ofDropped: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(SELECT campaign_id, sum(part) AS found FROM (
      SELECT campaign_id, (${ofRows})::numeric AS part FROM impressions GROUP BY campaign_id
      UNION ALL SELECT campaign_id, ${ofDropped} FROM dropped_impression_sums WHERE dimension = 'creative') AS parts
    GROUP BY campaign_id)`;
}

/** Of each developer, likewise. */
export function foundByDeveloper(ofRows: Prisma.Sql, ofDropped: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(SELECT account_id, sum(part) AS found FROM (
      SELECT developer_account_id AS account_id, (${ofRows})::numeric AS part FROM impressions GROUP BY 1
      UNION ALL SELECT account_id, ${ofDropped} FROM dropped_impression_sums WHERE dimension = 'game') AS parts
    GROUP BY account_id)`;
}

/** Days whose impressions were dropped, `YYYY-MM-DD`. */
export async function readDroppedDays(database: Database): Promise<Set<string>> {
  const rows = await database.$queryRaw<
    { day: string }[]
  >`SELECT day::text AS day FROM dropped_impression_days`;
  return new Set(rows.map(({ day }) => day));
}
