import type { ImpressionRecord } from "@diegetic/contracts";
import { type Pipeline, Prisma } from "@diegetic/database";
import type { BilledImpression } from "./billed-impression.ts";
import { Columns } from "./columns.ts";
import { findStored } from "./impression-statements.ts";
import { isName } from "./quarantine.ts";
import { committedInEpoch } from "./settlements.ts";
import { LOOK_UP_BY_KEY } from "./statements.ts";

/** A record, with its impression if it is valid. */
export interface NamedRecord {
  record: ImpressionRecord;
  billed?: BilledImpression;
}

interface Quarantined {
  impression_id: string;
  record: string;
}

/**
 * Returns the records whose charge is neither written nor quarantined. Reads only, so locked rows do not delay it; the
 * answer for the others is final.
 */
export async function findUnrecorded<One extends NamedRecord>(
  pipeline: Pipeline,
  records: readonly One[],
): Promise<One[]> {
  const named = records.filter(({ record }) => isName(record.impression_id));
  if (named.length === 0) return [...records];
  const requested = named.flatMap(({ record, billed }) =>
    billed === undefined ? [] : [billed.day, ...billed.otherDays].map((day) => ({ day, record })),
  );
  const recorded = await pipeline.inTransaction(async (statements) => {
    void statements.query(LOOK_UP_BY_KEY);
    const [written, quarantined] = await Promise.all([
      findStored(statements, requested),
      statements.query<Quarantined>(Prisma.sql`
        SELECT impression_id, record FROM quarantined_impressions
        WHERE impression_id = ANY(${new Columns(named).texts(({ record }) => record.impression_id)})`),
    ]);
    return new Set([
      ...written.map((row) => keyOf(row.impression_id, row.match_id, row.campaign_id)),
      ...quarantined.map((row) => quarantinedKey(row.impression_id, JSON.parse(row.record))),
    ]);
  });
  return records.filter(
    ({ record }) =>
      !recorded.has(keyOf(record.impression_id, record.match?.match_id, record.match?.campaign_id)) &&
      !recorded.has(quarantinedKey(record.impression_id, record)),
  );
}

/** Of a match, each epoch's charge is quarantined for itself: the wallet may have to reverse it. */
function quarantinedKey(impressionId: unknown, record: Partial<ImpressionRecord> | null): string {
  const { match } = record ?? {};
  const epoch = committedInEpoch((record ?? {}) as ImpressionRecord);
  return keyOf(impressionId, match?.match_id, match?.campaign_id, epoch);
}

function keyOf(...parts: unknown[]): string {
  return JSON.stringify(parts);
}
