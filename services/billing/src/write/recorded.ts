import type { ImpressionRecord } from "@diegetic/contracts";
import { type Pipeline, Prisma, type Statements } from "@diegetic/database";
import type { BilledImpression } from "./billed-impression.ts";
import { Columns } from "./columns.ts";
import { isName } from "./quarantine.ts";
import { committedInEpoch } from "./settlements.ts";
import { LOOK_UP_BY_KEY } from "./statements.ts";

/** A record, with its impression if it is valid. */
export interface NamedRecord {
  record: ImpressionRecord;
  billed?: BilledImpression;
}

interface Written {
  impression_id: string;
  match_id: string;
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
  const recorded = await pipeline.inTransaction(async (statements) => {
    void statements.query(LOOK_UP_BY_KEY);
    const [written, quarantined] = await Promise.all([
      findWritten(statements, named),
      statements.query<Quarantined>(Prisma.sql`
        SELECT impression_id, record FROM quarantined_impressions
        WHERE impression_id = ANY(${new Columns(named).texts(({ record }) => record.impression_id)})`),
    ]);
    return new Set([
      ...written.map((row) => keyOf(row.impression_id, row.match_id)),
      ...quarantined.map((row) => quarantinedKey(row.impression_id, JSON.parse(row.record))),
    ]);
  });
  return records.filter(
    ({ record }) =>
      !recorded.has(keyOf(record.impression_id, record.match?.match_id)) &&
      !recorded.has(quarantinedKey(record.impression_id, record)),
  );
}

async function findWritten(statements: Statements, records: readonly NamedRecord[]): Promise<Written[]> {
  const requested = records.flatMap(({ record, billed }) =>
    billed === undefined ? [] : [billed.day, ...billed.otherDays].map((day) => ({ day, record })),
  );
  if (requested.length === 0) return [];
  const of = new Columns(requested);
  return statements.query<Written>(Prisma.sql`
    SELECT i.impression_id, i.match_id
    FROM unnest(${of.days(({ day }) => day)}, ${of.texts(({ record }) => record.impression_id)})
      AS requested(day, impression_id)
    JOIN impressions i ON i.day = requested.day AND i.impression_id = requested.impression_id`);
}

/** Of a match, each epoch's charge is quarantined for itself: the wallet may have to reverse it. */
function quarantinedKey(impressionId: unknown, record: Partial<ImpressionRecord> | null): string {
  return keyOf(impressionId, record?.match?.match_id, committedInEpoch((record ?? {}) as ImpressionRecord));
}

function keyOf(...parts: unknown[]): string {
  return JSON.stringify(parts);
}
