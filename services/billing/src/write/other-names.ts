import { Prisma } from "@diegetic/database";
import type { BilledImpression } from "./billed-impression.ts";
import { Columns } from "./columns.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Whether one of these is the same impression under another name (ADR 12): its key was used on both sides of midnight. */
export function isUnderOtherName(
  { record }: BilledImpression,
  impressions: ReadonlyMap<string, BilledImpression>,
): boolean {
  return (record.other_ids ?? []).some((otherId) => {
    const other = impressions.get(otherId);
    return other !== undefined && isRetryOf(record.recorded_at_ms, other.record.recorded_at_ms);
  });
}

/** An Idempotency-Key names one operation for 24 hours (semantics: Deposit retries, Retries). */
function isRetryOf(recordedAtMs: number, otherRecordedAtMs: number): boolean {
  return Math.abs(recordedAtMs - otherRecordedAtMs) <= DAY_MS;
}

/**
 * Answers as `id` which of the impressions are written under another name; final once their advertisers are locked, because
 * the same request is about the same campaign. Null: none of them has one.
 */
export function otherNamesStatement(impressions: readonly BilledImpression[]): Prisma.Sql | null {
  const asked = impressions.flatMap(({ record }) =>
    (record.other_ids ?? []).map((otherId) => ({ otherId, record })),
  );
  if (asked.length === 0) return null;
  const of = new Columns(asked);
  return Prisma.sql`
    SELECT DISTINCT asked.id
    FROM unnest(${of.texts(({ record }) => record.impression_id)}, ${of.texts(({ otherId }) => otherId)},
      ${of.floats(({ record }) => record.recorded_at_ms)}) AS asked(id, other_id, recorded_at_ms)
    CROSS JOIN generate_series(-1, 1) AS days
    JOIN impressions i ON i.impression_id = asked.other_id
      AND i.day = (to_timestamp(asked.recorded_at_ms / 1000) AT TIME ZONE 'UTC')::date + days
      AND abs(extract(epoch FROM i.recorded_at) * 1000 - asked.recorded_at_ms) <= ${DAY_MS}`;
}
