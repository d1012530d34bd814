import { Prisma, type Statements } from "@diegetic/database";
import type { BilledImpression } from "./billed-impression.ts";
import { Columns } from "./columns.ts";
import { findStored } from "./impression-statements.ts";

/** First key of the advisory locks; arbitrary, but no other user of the database may use it. */
const LOCK_CLASS = 743_092;
/** A lock for each id would fill the lock table of Postgres: about 6 400 entries by default, for all connections. */
const LOCKS = 256;

/**
 * Finds impressions that are stored under another day: if Redis lost the first record while a job still had it, and the
 * client retried after midnight, each day has a record. Serialises concurrent searches for the same ids, by at most
 * 256 locks, which the transaction keeps. Returns matches by impression id.
 */
export async function findOnOtherDays(
  statements: Statements,
  impressions: readonly BilledImpression[],
): Promise<Map<string, string>> {
  const requested = impressions.flatMap(({ record, otherDays }) => otherDays.map((day) => ({ day, record })));
  if (requested.length === 0) return new Map();
  const of = new Columns(requested);
  await statements.query(Prisma.sql`
    SELECT count(pg_advisory_xact_lock(${LOCK_CLASS}::int, lock)) FROM (
      SELECT DISTINCT hashtext(id) & ${LOCKS - 1}::int AS lock
      FROM unnest(${of.texts(({ record }) => record.impression_id)}) AS id ORDER BY lock) AS sorted`);
  const found = await findStored(statements, requested);
  return new Map(found.map((row) => [row.impression_id, row.match_id]));
}
