import type { ImpressionRecord } from "@diegetic/contracts";
import {
  type BilledImpression,
  billImpression,
  ClocksDisagree,
  isSameCharge,
  RecordRefused,
} from "./billed-impression.ts";
import { splitByOperation } from "./operations.ts";
import { conflict, type RefusedRecord } from "./refused-record.ts";
import { committedInEpoch } from "./settlements.ts";

/** The records of a batch, by what is to be done with them. */
export interface SortedRecords {
  /** Each id and each operation once. */
  billed: BilledImpression[];
  /** Further impressions of those operations: written one by one if the first ones cannot be. */
  again: BilledImpression[];
  refused: RefusedRecord[];
  /** Records with an implausible time: they stay in the outbox. */
  waiting: { record: ImpressionRecord; reason: string }[];
}

/** Validates records. `nowMs`: the clock that their times are compared with. */
export function sortRecords(records: readonly ImpressionRecord[], nowMs: number): SortedRecords {
  const billed = new Map<string, BilledImpression>();
  const refused = new Map<string, RefusedRecord>();
  const waiting: SortedRecords["waiting"] = [];
  for (const record of records) {
    try {
      const impression = billImpression(record, nowMs);
      const known = billed.get(record.impression_id);
      if (known === undefined) billed.set(record.impression_id, impression);
      else if (!isSameCharge(known.record.match, record.match)) {
        refused.set(JSON.stringify(record), conflict(impression));
      } else if (committedInEpoch(record) > committedInEpoch(known.record)) {
        // The wallet has lost the other charge.
        billed.set(record.impression_id, impression);
      }
    } catch (error) {
      if (error instanceof ClocksDisagree) waiting.push({ record, reason: error.message });
      else if (error instanceof RecordRefused) {
        refused.set(JSON.stringify(record), { record, reason: error.message });
      } else throw error;
    }
  }
  const { first, again } = splitByOperation([...billed.values()]);
  return { billed: first, again, refused: [...refused.values()], waiting };
}
