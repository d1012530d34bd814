import type { ImpressionRecord } from "@diegetic/contracts";
import { arrayOfTexts, DAY_MS, Prisma, utcDay } from "@diegetic/database";
import type { BilledImpression } from "./billed-impression.ts";
import { Columns } from "./columns.ts";

/** Lifetime of an Idempotency-Key (docs/behaviour.md#retries). */
export const OPERATION_MS = DAY_MS;

/** Identifies the operation of an impression. */
interface Operated {
  record: Pick<ImpressionRecord, "operation_id" | "recorded_at_ms">;
}

/**
 * Splits the impressions of each operation into the first one and those within its lifetime, before or after: Redis
 * lost one of them (ADR 12), and the first may turn out to be unwritable. An impression after that lifetime starts a
 * new operation.
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
 * Returns as `id` the impressions whose operation is already billed with another match; final once their advertisers
 * are locked, because an operation belongs to one campaign. Null: none has an operation.
 */
export function billedOperationsStatement(impressions: readonly BilledImpression[]): Prisma.Sql | null {
  const keyed = impressions.filter(({ record }) => record.operation_id !== undefined);
  if (keyed.length === 0) return null;
  const of = new Columns(keyed);
  const days = new Set(
    keyed.flatMap(({ record }) => [-1, 0, 1].map((days) => utcDay(record.recorded_at_ms + days * DAY_MS))),
  );
  // As in findStored, OFFSET 0 fixes the order of the join, and the days keep other partitions from being planned and locked.
  return Prisma.sql`
    SELECT DISTINCT requested.id
    FROM unnest(${of.texts(({ record }) => record.impression_id)}, ${of.texts(({ record }) => record.operation_id ?? null)},
      ${of.floats(({ record }) => record.recorded_at_ms)}) AS requested(id, operation_id, recorded_at_ms)
    CROSS JOIN LATERAL (
      SELECT impression_id, recorded_at FROM impressions
      WHERE operation_id = requested.operation_id AND day = ANY(${arrayOfTexts([...days])}::date[]) OFFSET 0) AS i
    WHERE i.impression_id <> requested.id
      AND abs(extract(epoch FROM i.recorded_at) * 1000 - requested.recorded_at_ms) < ${OPERATION_MS}`;
}
