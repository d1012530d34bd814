import { Prisma, type Statements } from "@diegetic/database";
import type { BilledImpression, ChargedMatch } from "./billed-impression.ts";
import { Columns } from "./columns.ts";
import { findStored } from "./impression-statements.ts";

/** First key of the advisory locks; arbitrary, but no other user of the database may use it. */
const LOCK_CLASS = 743_092;
/** A lock for each id would fill the lock table of Postgres: about 6 400 entries by default, for all connections. */
const LOCKS = 256;

/**
 * Finds impressions that are stored under another day: if Redis lost the first record while a job still had it, and the
 * client retried after midnight, each day has a record. Returns charges by impression id. Serialises transactions that
 * search for the same ids, by at most LOCKS locks, so that large ones run one at a time.
 */
export async function findOnOtherDays(
  statements: Statements,
  impressions: readonly BilledImpression[],
): Promise<Map<string, ChargedMatch>> {
  const requested = impressions.flatMap(({ record, otherDays }) => otherDays.map((day) => ({ day, record })));
  if (requested.length === 0) return new Map();
  const of = new Columns(requested);
  // A wait for another batch is no wait for a locked row; the time limit of statements ends it.
  const [limit] = await statements.query<{ lockTimeout: string }>(Prisma.sql`
    SELECT current_setting('lock_timeout') AS "lockTimeout", set_config('lock_timeout', '0', true)`);
  await statements.query(Prisma.sql`
    SELECT count(pg_advisory_xact_lock(${LOCK_CLASS}::int, lock)) FROM (
      SELECT DISTINCT hashtext(id) & ${LOCKS - 1}::int AS lock
      FROM unnest(${of.texts(({ record }) => record.impression_id)}) AS id ORDER BY lock) AS sorted`);
  void statements.query(Prisma.sql`SELECT set_config('lock_timeout', ${limit?.lockTimeout ?? "0"}, true)`);
  const found = await findStored(statements, requested);
  return new Map(found.map((row) => [row.impression_id, row]));
}
