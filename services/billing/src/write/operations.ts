import { Prisma } from "@diegetic/database";
import type { BilledImpression } from "./billed-impression.ts";
import { Columns } from "./columns.ts";

/** For so long an Idempotency-Key names one operation (semantics: Retries). */
const OPERATION_MS = 24 * 60 * 60 * 1_000;

/**
 * Of each operation the impression that came first, and those that followed within its time: Redis had forgotten the first
 * (ADR 12), and whether that can be written is not known yet.
 */
export function splitByOperation(impressions: readonly BilledImpression[]): {
  first: BilledImpression[];
  again: BilledImpression[];
} {
  const firstOf = new Map<string, number>();
  const again: BilledImpression[] = [];
  const first = impressions.filter((impression) => {
    const { operation_id: operationId, recorded_at_ms: recordedAtMs } = impression.record;
    if (operationId === undefined) return true;
    const firstMs = firstOf.get(operationId);
    if (firstMs !== undefined && Math.abs(recordedAtMs - firstMs) < OPERATION_MS) {
      again.push(impression);
      return false;
    }
    firstOf.set(operationId, recordedAtMs);
    return true;
  });
  return { first, again };
}

/**
 * Answers as `id` of which of the impressions the operation is billed already, with another match; final once their advertisers
 * are locked, because one operation is about one campaign. Null: none of them has an operation.
 */
export function billedOperationsStatement(impressions: readonly BilledImpression[]): Prisma.Sql | null {
  const keyed = impressions.filter(({ record }) => record.operation_id !== undefined);
  if (keyed.length === 0) return null;
  const of = new Columns(keyed);
  return Prisma.sql`
    SELECT DISTINCT asked.id
    FROM unnest(${of.texts(({ record }) => record.impression_id)}, ${of.texts(({ record }) => record.operation_id ?? null)},
      ${of.floats(({ record }) => record.recorded_at_ms)}) AS asked(id, operation_id, recorded_at_ms)
    CROSS JOIN generate_series(-1, 1) AS days
    JOIN impressions i ON i.operation_id = asked.operation_id AND i.impression_id <> asked.id
      AND i.day = (to_timestamp(asked.recorded_at_ms / 1000) AT TIME ZONE 'UTC')::date + days
      AND abs(extract(epoch FROM i.recorded_at) * 1000 - asked.recorded_at_ms) < ${OPERATION_MS}`;
}
