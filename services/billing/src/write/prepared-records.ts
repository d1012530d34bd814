import type { ImpressionRecord } from "@diegetic/contracts";
import type { PreparedBatch } from "./prepare-batch.ts";
import type { NamedRecord } from "./recorded.ts";
import type { SortedRecords } from "./sort-records.ts";

/** Records that wait for their turn, and later what became of them. */
export interface PreparedRecords extends SortedRecords {
  count: number;
  batch: PreparedBatch;
  /** Refused or waiting records of another installation: left alone. */
  foreign: ReadonlySet<ImpressionRecord>;
  /** Records that wait for locked rows: they stay in the outbox, where their ids name them. */
  left: Map<ImpressionRecord, NamedRecord>;
  leftIds: Set<string>;
}

export function leave(one: NamedRecord, { left, leftIds }: PreparedRecords): void {
  left.set(one.record, one);
  leftIds.add(one.record.impression_id);
}
