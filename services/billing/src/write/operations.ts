import type { ImpressionRecord } from "@diegetic/contracts";
import { Prisma } from "@diegetic/database";
import type { BilledImpression } from "./billed-impression.ts";
import { Columns } from "./columns.ts";

/** For so long an Idempotency-Key names one operation (docs/behaviour.md#retries). */
export const OPERATION_MS = 24 * 60 * 60 * 1_000;

/** What tells the operation of an impression. */
interface Operated {
  record: Pick<ImpressionRecord, "operation_id" | "recorded_at_ms">;
}

/**
 * Of each operation the impression that came first, and those within its time, before or after: Redis had forgotten one of
 * them (ADR 12), and whether the first can be written is not known yet. Later ones than that are firsts again.
 */
export function splitByOperation<One extends Operated>(
  impressions: readonly One[],
): {
  first: One[];
  again: One[];
} {
  const firstsOf = new Map<string, number[]>();
  const again: One[] = [];
  const first = impressions.filter((impression) => {
    const { operation_id: operationId, recorded_at_ms: recordedAtMs } = impression.record;
    if (operationId === undefined) return true;
    const firstsMs = firstsOf.get(operationId) ?? [];
    if (firstsMs.some((firstMs) => Math.abs(recordedAtMs - firstMs) < OPERATION_MS)) {
      again.push(impression);
      return false;
    }
    firstsOf.set(operationId, [...firstsMs, recordedAtMs]);
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
