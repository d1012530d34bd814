import { Prisma, type Statements } from "@diegetic/database";
import type { BilledImpression } from "./billed-impression.ts";
import { Columns } from "./columns.ts";

/**
 * Finds impressions that stand under another day: one whose first record Redis had lost while a job still knew it, and that was
 * sent again after midnight, has a record of either day. Whoever looks waits for others who look for the same. Answers their
 * matches by impression id.
 */
export async function findOnOtherDays(
  statements: Statements,
  impressions: readonly BilledImpression[],
): Promise<Map<string, string>> {
  const asked = impressions.flatMap(({ record, otherDays }) =>
    otherDays.map((day) => ({ day, impressionId: record.impression_id })),
  );
  if (asked.length === 0) return new Map();
  const of = new Columns(asked);
  await statements.query(Prisma.sql`
    SELECT count(pg_advisory_xact_lock(hashtextextended(id, 0)))
    FROM (SELECT DISTINCT id FROM unnest(${of.texts(({ impressionId }) => impressionId)}) AS id ORDER BY id) AS sorted`);
  const found = await statements.query<{ impression_id: string; match_id: string }>(Prisma.sql`
    SELECT i.impression_id, i.match_id
    FROM unnest(${of.days(({ day }) => day)}, ${of.texts(({ impressionId }) => impressionId)})
      AS asked(day, impression_id)
    JOIN impressions i ON i.day = asked.day AND i.impression_id = asked.impression_id`);
  return new Map(found.map((row) => [row.impression_id, row.match_id]));
}
