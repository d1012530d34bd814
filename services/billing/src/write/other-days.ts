import { Prisma, type Statements } from "@diegetic/database";
import type { BilledImpression } from "./billed-impression.ts";
import { Columns } from "./columns.ts";

/**
 * Finds impressions that are stored under another day: if Redis lost the first record while a job still had it, and the
 * client retried after midnight, each day has a record. Serialises concurrent searches for the same ids. Returns
 * matches by impression id.
 */
export async function findOnOtherDays(
  statements: Statements,
  impressions: readonly BilledImpression[],
): Promise<Map<string, string>> {
  const requested = impressions.flatMap(({ record, otherDays }) =>
    otherDays.map((day) => ({ day, impressionId: record.impression_id })),
  );
  if (requested.length === 0) return new Map();
  const of = new Columns(requested);
  await statements.query(Prisma.sql`
    SELECT count(pg_advisory_xact_lock(hashtextextended(id, 0)))
    FROM (SELECT DISTINCT id FROM unnest(${of.texts(({ impressionId }) => impressionId)}) AS id ORDER BY id) AS sorted`);
  const found = await statements.query<{ impression_id: string; match_id: string }>(Prisma.sql`
    SELECT i.impression_id, i.match_id
    FROM unnest(${of.days(({ day }) => day)}, ${of.texts(({ impressionId }) => impressionId)})
      AS requested(day, impression_id)
    JOIN impressions i ON i.day = requested.day AND i.impression_id = requested.impression_id`);
  return new Map(found.map((row) => [row.impression_id, row.match_id]));
}
