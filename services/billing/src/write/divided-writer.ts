import { ConstraintViolation, LockTimeout, type Pipeline, StatementTimeout } from "@diegetic/database";
import { type BilledImpression, RecordRefused } from "./billed-impression.ts";
import type { DayPartitions } from "./day-partitions.ts";
import { type LockedRows, MAX_LOCK_WAIT_MS } from "./locked-rows.ts";
import { type PreparedBatch, prepareBatch } from "./prepare-batch.ts";
import { leave, type PreparedRecords } from "./prepared-records.ts";
import { refusal } from "./refused-record.ts";
import { NOTHING_WRITTEN, sumOf, type WrittenBatch, writeBatch } from "./write-batch.ts";

export interface DividedWriterParts {
  pipeline: Pipeline;
  partitions: Pick<DayPartitions, "forget">;
  lockedRows: LockedRows;
  /** Limit for each lock. Default: MAX_LOCK_WAIT_MS. */
  maxLockWaitMs?: number;
}

/** Writes batches in parts where locked rows, unwritable records or time limits keep Postgres from writing them whole. */
export class DividedWriter {
  readonly #parts: DividedWriterParts;

  constructor(parts: DividedWriterParts) {
    this.#parts = parts;
  }

  /** Writes the batch without the records of advertisers with locked rows. */
  async write(batch: PreparedBatch, prepared: PreparedRecords, hasWaited = false): Promise<WrittenBatch> {
    const { advertiserIds } = this.#parts.lockedRows;
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
    hasWaited: boolean,
  ): Promise<WrittenBatch> {
    try {
      const { pipeline, maxLockWaitMs: lockTimeoutMs = MAX_LOCK_WAIT_MS } = this.#parts;
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
      const first = await this.write(await prepareBatch(billed.slice(0, middle)), prepared);
      const second = await this.write(await prepareBatch(billed.slice(middle)), prepared);
      return sumOf(first, second);
    }
  }

  /**
   * After a lock was waited for in vain: writes the records of advertisers whose rows are free, then the others together
   * once more, because other writers have most of these rows only for a moment.
   */
  async #writeFreeFirst(batch: PreparedBatch, prepared: PreparedRecords): Promise<WrittenBatch> {
    const { impressions } = batch;
    const locked = await this.#parts.lockedRows.findLocked(impressions);
    // The rows are free again, or it was another lock, such as that of a table.
    if (locked.size === 0) return this.#writeOrSplit(batch, prepared, true);
    const isFree = (one: BilledImpression) => !locked.has(advertiserOf(one));
    const free = await this.write(await prepareBatch(impressions.filter(isFree)), prepared);
    const others = await prepareBatch(impressions.filter((one) => !isFree(one)));
    return sumOf(free, await this.write(others, prepared, true));
  }

  /** After a second wait in vain: leaves the records of advertisers with locked rows, and writes the others. */
  async #leaveLocked(
    batch: PreparedBatch,
    prepared: PreparedRecords,
    error: LockTimeout,
  ): Promise<WrittenBatch> {
    const locked = await this.#parts.lockedRows.findLocked(batch.impressions);
    if (locked.size === 0) throw error;
    for (const [advertiserId, rowIds] of locked) this.#parts.lockedRows.add(advertiserId, rowIds, error);
    return this.write(batch, prepared, true);
  }

  /** Throws errors that no record caused: they are retried, not quarantined. */
  #requireDataProblem(error: unknown): asserts error is RecordRefused | ConstraintViolation {
    if (error instanceof ConstraintViolation && /no partition of relation/.test(error.message)) {
      this.#parts.partitions.forget();
      throw error;
    }
    if (!(error instanceof RecordRefused || error instanceof ConstraintViolation)) throw error;
  }
}

function advertiserOf({ record }: BilledImpression): string {
  return record.match.advertiser_id;
}
