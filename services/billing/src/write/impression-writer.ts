import type { ImpressionRecord } from "@diegetic/contracts";
import { type Database, LockTimeout, type Pipeline } from "@diegetic/database";
import { type InstallationClaim, type MoneyCommands, walletOfRecord } from "@diegetic/hot-state";
import { type Logger, OutageLog } from "@diegetic/service-kit";
import type { BillingMeasures } from "../measures.ts";
import type { BilledImpression } from "./billed-impression.ts";
import type { DayPartitions } from "./day-partitions.ts";
import { DividedWriter } from "./divided-writer.ts";
import { foreignAmong } from "./foreign-records.ts";
import { LockedRows } from "./locked-rows.ts";
import { acknowledge, keepInOutbox } from "./outbox.ts";
import { prepareBatch } from "./prepare-batch.ts";
import { leave, type PreparedRecords } from "./prepared-records.ts";
import { quarantine } from "./quarantine.ts";
import {
  chargedAgain,
  conflict,
  DROPPED,
  isReversed,
  type RefusedRecord,
  repetition,
  undecidable,
} from "./refused-record.ts";
import { committedInEpoch } from "./settlements.ts";
import { type SortedRecords, sortRecords } from "./sort-records.ts";
import { sumOf } from "./write-batch.ts";

export interface ImpressionWriterDependencies {
  database: Database;
  /** For batches; rare statements use `database`. */
  pipeline: Pipeline;
  money: Pick<MoneyCommands, "ackOutbox" | "isInOutbox" | "returnToOutbox">;
  claim: Pick<InstallationClaim, "check">;
  partitions: DayPartitions;
  measures: BillingMeasures;
  logger: Logger;
  nowMs: () => number;
  /** Limit for each lock. Default: MAX_LOCK_WAIT_MS. */
  maxLockWaitMs?: number;
  /** Called with the acknowledged records; another delivery acknowledges them again. */
  onAcknowledged?: (records: readonly ImpressionRecord[]) => void;
}

/** Larger batches lock their advertisers' rows for longer: two concurrent batches of this size take 250 ms or more. */
export const RECORDS_PER_BATCH = 8_000;
/** Longer than until the sweeper delivers a waiting record again. */
const CLOCKS_AGREE_AFTER_MS = 30_000;

/**
 * Writes committed records to Postgres, then removes them from the outbox: `write`, or its three steps. Idempotent,
 * also concurrently. Rejects when a store is unavailable; unwritten records must not be acknowledged. Leaves records
 * with an implausible time, and those of advertisers with locked rows, in the outbox, for the sweeper. If one of these is in no
 * outbox, and neither written nor quarantined, its job has the only copy: it is returned to the outbox.
 */
export class ImpressionWriter {
  readonly #dependencies: ImpressionWriterDependencies;
  readonly #lockedRows: LockedRows;
  readonly #divided: DividedWriter;
  readonly #clocks: OutageLog;

  constructor(dependencies: ImpressionWriterDependencies) {
    this.#dependencies = dependencies;
    this.#lockedRows = new LockedRows(dependencies);
    this.#divided = new DividedWriter({ ...dependencies, lockedRows: this.#lockedRows });
    this.#clocks = new OutageLog(dependencies.logger, {
      failing: "impressions wait: clocks of redis and billing differ",
      recovered: "impressions no longer wait for clocks",
      level: "error",
      countField: "records",
      endedAfterMs: CLOCKS_AGREE_AFTER_MS,
    });
  }

  async write(records: readonly ImpressionRecord[]): Promise<void> {
    const prepared = await this.prepare(records);
    await this.writePrepared(prepared);
    await this.acknowledge(prepared);
  }

  /** Validates and sums up records, without a store. `isAhead`: yields to the event loop between steps. */
  async prepare(records: readonly ImpressionRecord[], isAhead = false): Promise<PreparedRecords> {
    const sorted = sortRecords(records, this.#dependencies.nowMs());
    const batch = await prepareBatch(sorted.billed, isAhead);
    return {
      ...sorted,
      count: records.length,
      batch,
      foreign: new Set(),
      left: new Map(),
      leftIds: new Set(),
    };
  }

  /** Writes the records to Postgres, or quarantines those that can never be written. */
  async writePrepared(prepared: PreparedRecords): Promise<void> {
    const { measures, partitions } = this.#dependencies;
    const stopTimer = measures.batchSeconds.startTimer();
    const { count, batch, billed, again, refused, waiting, left } = prepared;
    await this.#lockedRows.update();
    const dropped = await partitions.ensure([...billed, ...again].map(({ day }) => day));
    const isWritable = ({ day }: BilledImpression) => !dropped.has(day);
    refused.push(...[...billed, ...again].filter((one) => !isWritable(one)).map(undecidable));
    const writable = dropped.size === 0 ? batch : await prepareBatch(billed.filter(isWritable));
    let written = await this.#divided.write(writable, prepared);
    for (const one of again.filter(isWritable)) {
      written = sumOf(written, await this.#divided.write(await prepareBatch([one]), prepared));
    }
    refused.push(
      ...written.conflicting.map(conflict),
      ...written.repeated.map(repetition),
      ...written.quarantined.filter(isReversed).map(chargedAgain),
    );
    prepared.foreign = await foreignAmong(this.#dependencies, [...refused, ...waiting]);
    for (const one of refused) {
      if (!prepared.foreign.has(one.record)) await this.#quarantineUnlocked(one, prepared);
    }
    const refusedCount = refused.filter(({ record }) => !left.has(record)).length;
    measures.written.inc(written.written);
    measures.late.inc(written.late);
    measures.duplicates.inc(count - refusedCount - waiting.length - left.size - written.written);
    this.#report(waiting);
    stopTimer();
  }

  /** Removes written and quarantined records from the outbox, and sees that those that wait are in it. */
  async acknowledge(prepared: PreparedRecords): Promise<void> {
    const { billed, again, refused, waiting, foreign, left, leftIds } = prepared;
    // A record that was refused while it was written is among both.
    const handled = new Set([...billed, ...again, ...refused].map(({ record }) => record));
    const records = [...handled].filter(
      (record) => !foreign.has(record) && !leftIds.has(record.impression_id),
    );
    await acknowledge(this.#dependencies.money, records);
    this.#dependencies.onAcknowledged?.(records);
    const unwritten = waiting.filter(({ record }) => !foreign.has(record));
    await keepInOutbox(this.#dependencies, [...left.values(), ...unwritten]);
  }

  #report(waiting: SortedRecords["waiting"]): void {
    const [first] = waiting;
    if (first === undefined) {
      this.#clocks.succeeded();
    } else {
      const { record, reason } = first;
      this.#clocks.failed(undefined, { impressionId: record.impression_id, reason, count: waiting.length });
    }
  }

  /** Leaves the record in the outbox if its advertiser's row is locked. */
  async #quarantineUnlocked(refused: RefusedRecord, prepared: PreparedRecords): Promise<void> {
    const { record } = refused;
    const advertiserId = String(record.match?.advertiser_id ?? "");
    // Under the same id, another charge may wait: once this one is quarantined, it would never be written.
    if (!prepared.leftIds.has(record.impression_id) && !this.#lockedRows.advertiserIds.has(advertiserId)) {
      try {
        await this.#quarantine(refused);
        return;
      } catch (error) {
        if (!(error instanceof LockTimeout)) throw error;
        this.#lockedRows.add(advertiserId, [advertiserId], error);
      }
    }
    leave(refused, prepared);
  }

  async #quarantine({ record, reason, unfunded, ...refused }: RefusedRecord): Promise<void> {
    const { measures, money } = this.#dependencies;
    const advertiserId = String(record.match?.advertiser_id ?? "");
    // What left the outbox was written or quarantined, so the wallet does not count it in addition.
    const isCounted =
      reason !== DROPPED || (await money.isInOutbox(walletOfRecord(record), record.impression_id));
    const count = await quarantine(this.#dependencies, {
      ...refused,
      reason,
      advertiserId,
      impressionId: record.impression_id,
      matchId: record.match?.match_id,
      text: JSON.stringify(record),
      countedInEpoch: isCounted ? committedInEpoch(record) : null,
    });
    if (count === null) measures.duplicates.inc();
    if (unfunded) measures.unfunded.inc(count ?? 0);
  }
}
