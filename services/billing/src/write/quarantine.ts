import { createHash } from "node:crypto";
import { type Database, dateOfDay, inTransaction, Prisma, type Transaction } from "@diegetic/database";
import type { Logger } from "@diegetic/service-kit";
import type { BillingMeasures } from "../measures.ts";
import type { BilledImpression } from "./billed-impression.ts";
import { settlementsStatement } from "./settlements.ts";

/** What is never to be written: a record that was refused, or what is none. */
export interface Unwritable {
  advertiserId: string;
  /** As far as it has one that can be read. */
  impressionId: unknown;
  /** As far as it can be read; without it, whatever is written under the impression's id is taken for it. */
  matchId: unknown;
  /** As JSON, because a text of Postgres takes no zero bytes. */
  text: string;
  /** One sentence. */
  reason: string;
  /** The epoch of the wallet that counts it; null: nobody can tell, and reads do not rely on it. */
  countedInEpoch: number | null;
  /** Set when the record is sound, and might be written after all. */
  billed?: BilledImpression;
  /** The wallet has to forget this charge, if it is sound. */
  reversed?: boolean;
  /** Set when nobody has to decide what becomes of it: how it was settled. */
  resolution?: string;
}

export interface QuarantineParts {
  database: Database;
  measures: Pick<BillingMeasures, "quarantined">;
  logger: Logger;
}

const MAX_REASON_LENGTH = 1_000;
const MAX_NAME_LENGTH = 200;
const HALF_CHARACTER = /\p{Surrogate}/u;

/**
 * Keeps in Postgres what can never be written there, so that it may leave the outbox. Answers how many are quarantined by this
 * call: 1; 0: it was before; null: it is written.
 */
export async function quarantine(
  { database, measures, logger }: QuarantineParts,
  unwritable: Unwritable,
): Promise<number | null> {
  const { advertiserId, reason, billed, reversed, resolution } = unwritable;
  const impressionId = nameOf(unwritable);
  const count = await inTransaction(database, async (transaction) => {
    // Orders this before or after a restoring of the wallet, which counts what is in the outbox and not quarantined.
    const [wallet] = await transaction.$queryRaw<{ recovery_epoch: bigint }[]>`
      SELECT recovery_epoch FROM advertisers WHERE id = ${advertiserId} FOR NO KEY UPDATE`;
    // Another worker may have written it since it was refused, or from a job that was sound: a deposit may have come in between.
    if (await isWritten(transaction, impressionId, unwritable)) return null;
    // One of an earlier epoch may or may not have been counted when the wallet was restored: reads do not rely on it.
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
    if (inserted > 0 && reversed && billed) {
      await transaction.$executeRaw(settlementsStatement("reversed", [billed]));
    }
    return inserted;
  });
  if (count === null) {
    logger.info(
      { impressionId, advertiserId, reason },
      "an impression is written that could not be written before",
    );
    return null;
  }
  if (resolution !== undefined) {
    logger.info({ impressionId, advertiserId, reason }, "repeated impression not charged");
    return count;
  }
  measures.quarantined.inc(count);
  logger.error({ impressionId, advertiserId, reason }, "impression quarantined");
  return count;
}

/** Whoever writes it has the advertiser's row locked, and so has whoever asks. */
async function isWritten(
  transaction: Transaction,
  impressionId: string,
  { matchId, billed }: Unwritable,
): Promise<boolean> {
  const days = billed && [billed.day, ...billed.otherDays].map(dateOfDay);
  const onDays = days === undefined ? Prisma.empty : Prisma.sql`AND day = ANY(${days}::date[])`;
  const ofMatch = isName(matchId) ? Prisma.sql`AND match_id = ${matchId}` : Prisma.empty;
  const rows = await transaction.$queryRaw<unknown[]>`
    SELECT FROM impressions WHERE impression_id = ${impressionId} ${onDays} ${ofMatch} LIMIT 1`;
  return rows.length > 0;
}

/** What has no name that Postgres can keep gets one. */
function nameOf({ impressionId: id, text }: Unwritable): string {
  if (isName(id)) return id;
  return `unnamed_${createHash("sha256")
    .update(JSON.stringify([id, text]))
    .digest("hex")}`;
}

function isName(value: unknown): value is string {
  if (typeof value !== "string" || value === "" || value.length > MAX_NAME_LENGTH) return false;
  return !value.includes("\0") && !HALF_CHARACTER.test(value);
}
