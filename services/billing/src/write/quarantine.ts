import { createHash } from "node:crypto";
import { type Database, dateOfDay, inTransaction, Prisma, type Transaction } from "@diegetic/database";
import type { Logger } from "@diegetic/service-kit";
import type { BillingMeasures } from "../measures.ts";
import { readPartitions } from "../retention/partition-days.ts";
import type { BilledImpression } from "./billed-impression.ts";
import { MAX_LOCK_WAIT_MS } from "./locked-rows.ts";
import { settlementsStatement } from "./settlements.ts";
import { LOOK_UP_BY_KEY } from "./statements.ts";

/** A refused record, or a damaged outbox entry. */
export interface Unwritable {
  advertiserId: string;
  /** If readable. */
  impressionId: unknown;
  /** If readable; otherwise any row under the impression's id counts as this record. */
  matchId: unknown;
  /** JSON, because Postgres' text accepts no zero bytes. */
  text: string;
  /** One sentence. */
  reason: string;
  /** The epoch of the wallet that counts it; null: unknown, so reads do not rely on it. */
  countedInEpoch: number | null;
  /** Set when the record is valid and might still be written. */
  billed?: BilledImpression;
  /** The wallet has to reverse this charge, if it is valid. */
  reversed?: boolean;
  /** Set when no operator has to decide: how the record was resolved. */
  resolution?: string;
}

export interface QuarantineParts {
  database: Database;
  measures: Pick<BillingMeasures, "quarantined">;
  logger: Logger;
  /** Limit for each lock. Default: MAX_LOCK_WAIT_MS. */
  maxLockWaitMs?: number;
}

const MAX_REASON_LENGTH = 1_000;
const MAX_NAME_LENGTH = 200;

/**
 * Stores an unwritable record in quarantine, so that it may leave the outbox. Returns 1: quarantined; 0: already
 * quarantined; null: written meanwhile.
 */
export async function quarantine(
  { database, measures, logger, maxLockWaitMs = MAX_LOCK_WAIT_MS }: QuarantineParts,
  unwritable: Unwritable,
): Promise<number | null> {
  const { advertiserId, reason, billed, reversed, resolution } = unwritable;
  const impressionId = nameOf(unwritable);
  const count = await inTransaction(database, async (transaction) => {
    await transaction.$queryRaw`SELECT set_config('lock_timeout', ${String(maxLockWaitMs)}, true)`;
    // Serialises with a restore of the wallet, which counts outbox records that are not quarantined.
    const [wallet] = await transaction.$queryRaw<{ recovery_epoch: bigint }[]>`
      SELECT recovery_epoch FROM advertisers WHERE id = ${advertiserId} FOR NO KEY UPDATE`;
    // Another worker may have written it meanwhile, from an intact job or after a deposit.
    if (await isWritten(transaction, impressionId, unwritable)) return null;
    // The restore may or may not have counted a record of an earlier epoch, so reads do not rely on it.
    const { countedInEpoch: epoch } = unwritable;
    const isCounted = !reversed && epoch !== null && wallet?.recovery_epoch === BigInt(epoch);
    const resolved = resolution === undefined ? {} : { resolvedAt: new Date(), resolution };
    const row = {
      impressionId,
      advertiserId,
      record: unwritable.text,
      reason: reason.slice(0, MAX_REASON_LENGTH),
    };
    const { count: inserted } = await transaction.quarantinedImpression.createMany({
      data: [{ ...row, recoveryEpoch: isCounted ? wallet.recovery_epoch : null, ...resolved }],
      skipDuplicates: true,
    });
    // Also of a known record: a retry may have charged the match again after Redis had lost the first charge.
    if (reversed && billed) {
      await transaction.$executeRaw(settlementsStatement("reversed", [billed]));
    }
    return inserted;
  });
  const facts = { impressionId, advertiserId, reason };
  if (count === null) logger.info(facts, "refused impression already written");
  else if (resolution !== undefined) logger.info(facts, "repeated impression not charged");
  else if (count === 0) logger.info(facts, "impression already quarantined");
  else {
    measures.quarantined.inc(count);
    logger.error(facts, "impression quarantined");
  }
  return count;
}

/** Reliable while the caller has the advertiser's row locked, as every writer has. */
async function isWritten(
  transaction: Transaction,
  impressionId: string,
  { matchId, billed }: Unwritable,
): Promise<boolean> {
  const days = billed
    ? [billed.day, ...billed.otherDays]
    : (await readPartitions(transaction)).map(({ day }) => day);
  const dates = days.map(dateOfDay);
  const ofMatch = isName(matchId) ? Prisma.sql`AND match_id = ${matchId}` : Prisma.empty;
  const ofCampaign = billed ? Prisma.sql`AND campaign_id = ${billed.record.match.campaign_id}` : Prisma.empty;
  // The key begins with the day: without one, Postgres 17 and older read a whole index. The join looks up each day in its
  // own partition; the list of days keeps the planner from locking the others.
  await transaction.$queryRaw(LOOK_UP_BY_KEY);
  const rows = await transaction.$queryRaw<unknown[]>`
    SELECT FROM unnest(${dates}::date[]) AS requested(day)
    JOIN impressions i ON i.day = requested.day AND i.impression_id = ${impressionId} ${ofMatch} ${ofCampaign}
    WHERE i.day = ANY(${dates}::date[]) LIMIT 1`;
  return rows.length > 0;
}

/** Generates a name if Postgres cannot store the given one. */
function nameOf({ impressionId: id, text }: Unwritable): string {
  if (isName(id)) return id;
  return `unnamed_${createHash("sha256")
    .update(JSON.stringify([id, text]))
    .digest("hex")}`;
}

/** Whether Postgres can store it as the name of a quarantined record. */
export function isName(value: unknown): value is string {
  if (typeof value !== "string" || value === "" || value.length > MAX_NAME_LENGTH) return false;
  return !value.includes("\0") && value.isWellFormed();
}
