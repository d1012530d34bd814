import { Prisma, type Statements } from "@diegetic/database";
import type { BilledImpression } from "./billed-impression.ts";
import { Columns } from "./columns.ts";
import { findStored } from "./impression-statements.ts";

/**
 * Finds impressions that are stored under another day: if Redis lost the first record while a job still had it, and the
 * client retried after midnight, each day has a record. Serialises concurrent searches for the same ids. Returns
 * matches by impression id.
 */
export async function findOnOtherDays(
  statements: Statements,
  impressions: readonly BilledImpression[],
): Promise<Map<string, string>> {
  const requested = impressions.flatMap(({ record, otherDays }) => otherDays.map((day) => ({ day, record })));
  if (requested.length === 0) return new Map();
  const of = new Columns(requested);
  await statements.query(Prisma.sql`
    SELECT count(pg_advisory_xact_lock(hashtextextended(id, 0)))
    FROM (SELECT DISTINCT id FROM unnest(${of.texts(({ record }) => record.impression_id)}) AS id ORDER BY id) AS sorted`);
  const found = await findStored(statements, requested);
  return new Map(found.map((row) => [row.impression_id, row.match_id]));
}
