import type { ImpressionRecord } from "@diegetic/contracts";
import { ConstraintViolation } from "@diegetic/database";
import type { BilledImpression, RecordRefused } from "./billed-impression.ts";
import type { Unwritable } from "./quarantine.ts";
import type { QuarantinedBefore } from "./write-batch.ts";

const MONEY_CHECK = /\b(advertisers|campaigns)_money_check\b/;
const UNFUNDED =
  "the balance or the budget no longer covers the charge: the money was spent again after Redis lost data";
const CONFLICTING = "another charge is stored under this impression id";
export const DROPPED =
  "the impressions of its day were dropped (IMPRESSION_RETENTION_DAYS), so it may have been billed before";
const REPEATED = "another impression of the same Idempotency-Key is stored: Redis had lost it";

/** A record that cannot be written, and why. */
export interface RefusedRecord extends Pick<Unwritable, "reason" | "billed" | "reversed" | "resolution"> {
  record: ImpressionRecord;
  /** Only the money is missing. */
  unfunded?: boolean;
}

/** An error that a record caused. */
export function refusal(
  impression: BilledImpression,
  error: RecordRefused | ConstraintViolation,
): RefusedRecord {
  const { record } = impression;
  return error instanceof ConstraintViolation && MONEY_CHECK.test(`${error.constraint} ${error.message}`)
    ? { record, reason: `${UNFUNDED} (${error.message})`, billed: impression, reversed: true, unfunded: true }
    : { record, reason: error.message, billed: impression };
}

/** A record with another reason may be in the wallet rightly. */
export function isReversed({ reason }: QuarantinedBefore): boolean {
  return reason.startsWith(UNFUNDED);
}

/** Never written, also when there is money again. */
export function chargedAgain({ impression, reason }: QuarantinedBefore): RefusedRecord {
  return { record: impression.record, reason, billed: impression, reversed: true, unfunded: true };
}

/** Writing it could charge twice; an operator decides. */
export function undecidable(impression: BilledImpression): RefusedRecord {
  return { record: impression.record, reason: DROPPED, billed: impression };
}

export function conflict(impression: BilledImpression): RefusedRecord {
  return { record: impression.record, reason: CONFLICTING, billed: impression, reversed: true };
}

/** A retry that is not charged: no operator has to look at it. */
export function repetition(impression: BilledImpression): RefusedRecord {
  const resolution = "not charged: its Idempotency-Key is already billed";
  return { record: impression.record, reason: REPEATED, billed: impression, reversed: true, resolution };
}
