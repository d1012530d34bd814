import type { ImpressionRecord } from "@diegetic/contracts";
import {
  ConstraintViolation,
  type Database,
  LockTimeout,
  type Pipeline,
  StatementTimeout,
} from "@diegetic/database";
import { type InstallationClaim, type MoneyCommands, walletOfRecord } from "@diegetic/hot-state";
import { type Logger, OutageLog } from "@diegetic/service-kit";
import type { BillingMeasures } from "../measures.ts";
import { type BilledImpression, RecordRefused } from "./billed-impression.ts";
import type { DayPartitions } from "./day-partitions.ts";
import { LockedRows, MAX_LOCK_WAIT_MS } from "./locked-rows.ts";
import { acknowledge, keepInOutbox, namesOutbox } from "./outbox.ts";
import { type PreparedBatch, prepareBatch } from "./prepare-batch.ts";
import { quarantine } from "./quarantine.ts";
import type { NamedRecord } from "./recorded.ts";
import {
  chargedAgain,
  conflict,
  DROPPED,
  isReversed,
  type RefusedRecord,
  refusal,
  repetition,
  undecidable,
} from "./refused-record.ts";
import { committedInEpoch } from "./settlements.ts";
import { type SortedRecords, sortRecords } from "./sort-records.ts";
import { NOTHING_WRITTEN, type WrittenBatch, writeBatch } from "./write-batch.ts";

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

/**
 * Writes committed records to Postgres, then removes them from the outbox: `write`, or its three steps. Idempotent,
 * also concurrently. Rejects when a store is unavailable; unwritten records must not be acknowledged. Leaves records
 * with an implausible time, and those of advertisers with locked rows, in the outbox, for the sweeper. If one of these is in no
 * outbox, and neither written nor quarantined, its job has the only copy: it is returned to the outbox.
 */
export class ImpressionWriter {
  readonly #dependencies: ImpressionWriterDependencies;
  readonly #lockedRows: LockedRows;
  readonly #clocks: OutageLog;

  constructor(dependencies: ImpressionWriterDependencies) {
    this.#dependencies = dependencies;
    this.#lockedRows = new LockedRows(dependencies);
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
    let written = await this.#writeUnlocked(writable, prepared);
    for (const one of again.filter(isWritable)) {
      written = combine(written, await this.#writeUnlocked(await prepareBatch([one]), prepared));
    }
    refused.push(
      ...written.conflicting.map(conflict),
      ...written.repeated.map(repetition),
      ...written.quarantined.filter(isReversed).map(chargedAgain),
    );
    prepared.foreign = await this.#foreignAmong([...refused, ...waiting]);
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

  /**
   * Records of another installation: a queue connection, here or there, used the wrong Redis (ADR 18). Neither our
   * advertisers nor our outboxes know them. Their own outbox delivers them again.
   */
  async #foreignAmong(undecided: readonly NamedRecord[]): Promise<Set<ImpressionRecord>> {
    const { database, money, claim, logger } = this.#dependencies;
    const foreign = new Set<ImpressionRecord>();
    const named = undecided.flatMap(({ record }) => {
      if (!namesOutbox(record)) return [];
      const { impression_id: impressionId, match } = record;
      const { advertiser_id: advertiserId } = match;
      return [{ record, impressionId, advertiserId, walletId: walletOfRecord(record) }];
    });
    if (named.length === 0) return foreign;
    const ids = [...new Set(named.map(({ advertiserId }) => advertiserId))];
    const known = await database.advertiser.findMany({ where: { id: { in: ids } }, select: { id: true } });
    const ours = new Set(known.map(({ id }) => id));
    const ofNobody = named.filter(({ advertiserId }) => !ours.has(advertiserId));
    for (const { record, impressionId, walletId } of ofNobody) {
      if (!(await money.isInOutbox(walletId, impressionId))) foreign.add(record);
    }
    if (ofNobody.length > foreign.size) await claim.check(); // The answer came from our own Redis.
    if (foreign.size > 0) {
      logger.warn({ records: foreign.size }, "ignored impressions of another installation");
    }
    return foreign;
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

  /** Writes the batch without the records of advertisers with locked rows. */
  async #writeUnlocked(
    batch: PreparedBatch,
    prepared: PreparedRecords,
    hasWaited = false,
  ): Promise<WrittenBatch> {
    const { advertiserIds } = this.#lockedRows;
    const isLocked = (one: BilledImpression) => advertiserIds.has(advertiserOf(one));
    const locked = advertiserIds.size === 0 ? [] : batch.impressions.filter(isLocked);
    if (locked.length === 0) return this.#writeOrSplit(batch, prepared, hasWaited);
    for (const one of locked) leave({ record: one.record, billed: one }, prepared);
    const others = await prepareBatch(batch.impressions.filter((one) => !isLocked(one)));
    return this.#writeOrSplit(others, prepared, hasWaited);
  }

  /**
   * Writes the batch, or divides it: by advertiser, while rows are locked; in halves, until unwritable records are
   * isolated, or a statement fits its time limit. `hasWaited`: its locks were waited for in vain before.
   */
  async #writeOrSplit(
    batch: PreparedBatch,
    prepared: PreparedRecords,
    hasWaited = false,
  ): Promise<WrittenBatch> {
    try {
      const { pipeline, maxLockWaitMs: lockTimeoutMs = MAX_LOCK_WAIT_MS } = this.#dependencies;
      return await writeBatch(pipeline, batch, { lockTimeoutMs });
    } catch (error) {
      const { impressions: billed } = batch;
      if (error instanceof LockTimeout) {
        return hasWaited ? this.#leaveLocked(batch, prepared, error) : this.#writeFreeFirst(batch, prepared);
      }
      // Few records may take long, such as those that exhaust campaigns. One alone does not: Postgres is overloaded, and the
      // others would run out of time, too.
      if (!(error instanceof StatementTimeout && billed.length > 1)) {
        this.#requireDataProblem(error);
        const [only] = billed;
        if (billed.length === 1 && only !== undefined) {
          prepared.refused.push(refusal(only, error));
          return NOTHING_WRITTEN;
        }
      }
      const middle = Math.ceil(billed.length / 2);
      const first = await this.#writeUnlocked(await prepareBatch(billed.slice(0, middle)), prepared);
      const second = await this.#writeUnlocked(await prepareBatch(billed.slice(middle)), prepared);
      return combine(first, second);
    }
  }

  /**
   * After a lock was waited for in vain: writes the records of advertisers whose rows are free, then the others together
   * once more, because other writers have most of these rows only for a moment.
   */
  async #writeFreeFirst(batch: PreparedBatch, prepared: PreparedRecords): Promise<WrittenBatch> {
    const { impressions } = batch;
    const locked = await this.#lockedRows.findLocked(impressions);
    // The rows are free again, or it was another lock, such as that of a table.
    if (locked.size === 0) return this.#writeOrSplit(batch, prepared, true);
    const isFree = (one: BilledImpression) => !locked.has(advertiserOf(one));
    const free = await this.#writeUnlocked(await prepareBatch(impressions.filter(isFree)), prepared);
    const others = await prepareBatch(impressions.filter((one) => !isFree(one)));
    return combine(free, await this.#writeUnlocked(others, prepared, true));
  }

  /** After a second wait in vain: leaves the records of advertisers with locked rows, and writes the others. */
  async #leaveLocked(
    batch: PreparedBatch,
    prepared: PreparedRecords,
    error: LockTimeout,
  ): Promise<WrittenBatch> {
    const locked = await this.#lockedRows.findLocked(batch.impressions);
    if (locked.size === 0) throw error;
    for (const [advertiserId, rowIds] of locked) this.#lockedRows.add(advertiserId, rowIds, error);
    return this.#writeUnlocked(batch, prepared, true);
  }

  /** Throws errors that no record caused: they are retried, not quarantined. */
  #requireDataProblem(error: unknown): asserts error is RecordRefused | ConstraintViolation {
    if (error instanceof ConstraintViolation && /no partition of relation/.test(error.message)) {
      this.#dependencies.partitions.forget();
      throw error;
    }
    if (!(error instanceof RecordRefused || error instanceof ConstraintViolation)) throw error;
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

function advertiserOf({ record }: BilledImpression): string {
  return record.match.advertiser_id;
}

function leave(one: NamedRecord, { left, leftIds }: PreparedRecords): void {
  left.set(one.record, one);
  leftIds.add(one.record.impression_id);
}

function combine(one: WrittenBatch, other: WrittenBatch): WrittenBatch {
  return {
    written: one.written + other.written,
    late: one.late + other.late,
    conflicting: [...one.conflicting, ...other.conflicting],
    repeated: [...one.repeated, ...other.repeated],
    quarantined: [...one.quarantined, ...other.quarantined],
  };
}
