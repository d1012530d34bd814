import type { ImpressionRecord } from "@diegetic/contracts";
import { ConstraintViolation, type Database, type Pipeline, StatementTimeout } from "@diegetic/database";
import type { InstallationClaim, MoneyCommands } from "@diegetic/hot-state";
import type { Logger } from "@diegetic/service-kit";
import type { BillingMeasures } from "../measures.ts";
import { type BilledImpression, billImpression, ClocksDisagree, RecordRefused } from "./billed-impression.ts";
import { splitByOperation } from "./operations.ts";
import type { Partitions } from "./partitions.ts";
import { quarantine } from "./quarantine.ts";
import { committedInEpoch } from "./settlements.ts";
import {
  NOTHING_WRITTEN,
  type PreparedBatch,
  prepareBatch,
  type WrittenBatch,
  writeBatch,
} from "./write-batch.ts";

export interface ImpressionWriterDependencies {
  database: Database;
  /** For the batches; whatever is rare goes by the database. */
  pipeline: Pipeline;
  money: Pick<MoneyCommands, "ackOutbox" | "isInOutbox">;
  claim: Pick<InstallationClaim, "check">;
  partitions: Partitions;
  measures: BillingMeasures;
  logger: Logger;
  nowMs: () => number;
}

interface RefusedRecord {
  record: ImpressionRecord;
  reason: string;
  /** Set when the record is sound, and might be written after all. */
  billed?: BilledImpression;
  /** The wallet has to forget this charge, if it is sound. */
  reversed?: boolean;
  /** Only the money is missing. */
  unfunded?: boolean;
  /** Set when nobody has to decide what becomes of it: how it was settled. */
  resolution?: string;
}

const MAX_ACKNOWLEDGED = 500;
/** What runs out of time with no more than these is not a matter of size: rows are locked, or Postgres has no time for anybody. */
const LEAST_TO_HALVE = 1_000;
const MONEY_CHECK = /\b(advertisers|campaigns)_money_check\b/;
const UNFUNDED =
  "the balance or the budget no longer covers it: the money was spent again after Redis had lost the charge";
const CONFLICTING = "another match has been written under this impression id";
const REPEATED = "another impression of the same Idempotency-Key has been written: Redis had forgotten it";

/** Records that wait for their turn. */
export interface PreparedRecords {
  count: number;
  sorted: Sorted;
  batch: PreparedBatch;
}

/** What becomes of the records of a batch. */
interface Sorted {
  /** Each id, and each operation, once. */
  billed: BilledImpression[];
  /** Of operations that are among the others, too: to be written, one by one, if those cannot be. */
  again: BilledImpression[];
  refused: RefusedRecord[];
  /** Whose time is not to be believed, or not ours: they stay in the outbox. */
  waiting: { record: ImpressionRecord; reason: string }[];
  /** Of those refused the ones that are another installation's: they are left alone. */
  foreign: ReadonlySet<ImpressionRecord>;
}

/**
 * Brings committed records to Postgres, then takes them out of the outbox: `write`, or its three steps. May be given
 * the same records any number of times, also at the same time. Rejects when a store is unavailable: what could not be written
 * must not be acknowledged.
 */
export class ImpressionWriter {
  readonly #dependencies: ImpressionWriterDependencies;

  constructor(dependencies: ImpressionWriterDependencies) {
    this.#dependencies = dependencies;
  }

  async write(records: readonly ImpressionRecord[]): Promise<void> {
    const prepared = await this.prepare(records);
    await this.post(prepared);
    await this.acknowledge(prepared);
  }

  /** Judges records and sums them up, without a store; `isAhead`: in many turns of the event loop. */
  async prepare(records: readonly ImpressionRecord[], isAhead = false): Promise<PreparedRecords> {
    const sorted = this.#sort(records);
    return { count: records.length, sorted, batch: await prepareBatch(sorted.billed, isAhead) };
  }

  /** Brings them to Postgres, or quarantines what can never get there. */
  async post({ count, sorted, batch }: PreparedRecords): Promise<void> {
    const { measures, partitions } = this.#dependencies;
    const stopTimer = measures.batchSeconds.startTimer();
    const { billed, again, refused, waiting } = sorted;
    await partitions.ensure([...billed, ...again].map(({ day }) => day));
    let written = await this.#writeOrSplit(batch, refused);
    for (const one of again) {
      written = together(written, await this.#writeOrSplit(await prepareBatch([one]), refused));
    }
    refused.push(...written.conflicting.map(conflict), ...written.repeated.map(repetition));
    sorted.foreign = await this.#foreignAmong(refused);
    for (const one of refused) {
      if (!sorted.foreign.has(one.record)) await this.#quarantine(one);
    }
    measures.written.inc(written.written);
    measures.late.inc(written.late);
    measures.duplicates.inc(count - refused.length - waiting.length - written.written);
    this.#report(waiting);
    stopTimer();
  }

  /** Takes what was written, or quarantined, out of the outbox. */
  async acknowledge({ sorted: { billed, again, refused, foreign } }: PreparedRecords): Promise<void> {
    const records = [...billed, ...again, ...refused].map(({ record }) => record);
    await this.#acknowledge(records.filter((record) => !foreign.has(record)));
  }

  #sort(records: readonly ImpressionRecord[]): Sorted {
    const nowMs = this.#dependencies.nowMs();
    const billed = new Map<string, BilledImpression>();
    const refused = new Map<string, RefusedRecord>();
    const waiting: Sorted["waiting"] = [];
    for (const record of records) {
      try {
        const impression = billImpression(record, nowMs);
        const known = billed.get(record.impression_id);
        if (known === undefined) billed.set(record.impression_id, impression);
        else if (known.record.match.match_id !== record.match.match_id) {
          refused.set(JSON.stringify(record), conflict(impression));
        }
      } catch (error) {
        if (error instanceof ClocksDisagree) waiting.push({ record, reason: error.message });
        else if (error instanceof RecordRefused) {
          refused.set(JSON.stringify(record), { record, reason: error.message });
        } else throw error;
      }
    }
    const { first, again } = splitByOperation([...billed.values()]);
    return { billed: first, again, refused: [...refused.values()], waiting, foreign: new Set() };
  }

  /**
   * Records of another installation: a connection of the queue, there or here, was at the wrong Redis (ADR 18). Neither an
   * advertiser nor an outbox of ours has them. They are left alone: their own outbox brings them again.
   */
  async #foreignAmong(refused: readonly RefusedRecord[]): Promise<Set<ImpressionRecord>> {
    const { database, money, claim, logger } = this.#dependencies;
    const foreign = new Set<ImpressionRecord>();
    const named = refused.flatMap(({ record }) => {
      const { impression_id: impressionId, match } = record;
      if (typeof impressionId !== "string" || typeof match?.advertiser_id !== "string") return [];
      return [{ record, impressionId, advertiserId: match.advertiser_id }];
    });
    if (named.length === 0) return foreign;
    const ids = [...new Set(named.map(({ advertiserId }) => advertiserId))];
    const known = await database.advertiser.findMany({ where: { id: { in: ids } }, select: { id: true } });
    const ours = new Set(known.map(({ id }) => id));
    const ofNobody = named.filter(({ advertiserId }) => !ours.has(advertiserId));
    for (const { record, impressionId, advertiserId } of ofNobody) {
      if (!(await money.isInOutbox(advertiserId, impressionId))) foreign.add(record);
    }
    if (ofNobody.length > foreign.size) await claim.check(); // It was our own Redis that has answered.
    if (foreign.size > 0) {
      logger.warn(
        { records: foreign.size },
        "impressions of another installation came by the queue, and were left to it",
      );
    }
    return foreign;
  }

  #report(waiting: Sorted["waiting"]): void {
    const [first] = waiting;
    if (first === undefined) return;
    this.#dependencies.logger.error(
      { impressionId: first.record.impression_id, reason: first.reason, records: waiting.length },
      "impression queueing unavailable, because the clocks of Redis and of billing disagree",
    );
  }

  /** Writes all of it, or halves it: until the records that cannot be written stand alone, or a statement has time enough. */
  async #writeOrSplit(batch: PreparedBatch, refused: RefusedRecord[]): Promise<WrittenBatch> {
    try {
      return await writeBatch(this.#dependencies.pipeline, batch);
    } catch (error) {
      const { impressions: billed } = batch;
      if (!(error instanceof StatementTimeout && billed.length > LEAST_TO_HALVE)) {
        this.#requireDataProblem(error);
        const [only] = billed;
        if (billed.length === 1 && only !== undefined) {
          refused.push(refusal(only, error));
          return NOTHING_WRITTEN;
        }
      }
      const middle = Math.ceil(billed.length / 2);
      const first = await this.#writeOrSplit(await prepareBatch(billed.slice(0, middle)), refused);
      const second = await this.#writeOrSplit(await prepareBatch(billed.slice(middle)), refused);
      return together(first, second);
    }
  }

  /** Throws on whatever is not the fault of a record: that is repeated, not quarantined. */
  #requireDataProblem(error: unknown): asserts error is RecordRefused | ConstraintViolation {
    if (error instanceof ConstraintViolation && /no partition of relation/.test(error.message)) {
      this.#dependencies.partitions.forget();
      throw error;
    }
    if (!(error instanceof RecordRefused || error instanceof ConstraintViolation)) throw error;
  }

  async #quarantine({ record, unfunded, ...refused }: RefusedRecord): Promise<void> {
    const { measures } = this.#dependencies;
    const count = await quarantine(this.#dependencies, {
      ...refused,
      advertiserId: String(record.match?.advertiser_id ?? ""),
      impressionId: record.impression_id,
      matchId: record.match?.match_id,
      text: JSON.stringify(record),
      countedInEpoch: committedInEpoch(record),
    });
    if (unfunded) measures.unfunded.inc(count ?? 0);
  }

  async #acknowledge(records: readonly ImpressionRecord[]): Promise<void> {
    const byAdvertiser = new Map<string, string[]>();
    for (const { impression_id, match } of records) {
      // A record without these did not come from an outbox.
      if (typeof impression_id !== "string" || typeof match?.advertiser_id !== "string") continue;
      const ids = byAdvertiser.get(match.advertiser_id) ?? [];
      ids.push(impression_id);
      byAdvertiser.set(match.advertiser_id, ids);
    }
    const { money } = this.#dependencies;
    await Promise.all(
      [...byAdvertiser].flatMap(([advertiserId, ids]) =>
        pagesOf(ids).map((page) => money.ackOutbox(advertiserId, page)),
      ),
    );
  }
}

function together(one: WrittenBatch, other: WrittenBatch): WrittenBatch {
  return {
    written: one.written + other.written,
    late: one.late + other.late,
    conflicting: [...one.conflicting, ...other.conflicting],
    repeated: [...one.repeated, ...other.repeated],
  };
}

/** Redis is told of at most 500 at a time. */
function pagesOf(ids: readonly string[]): string[][] {
  const pages: string[][] = [];
  for (let start = 0; start < ids.length; start += MAX_ACKNOWLEDGED) {
    pages.push(ids.slice(start, start + MAX_ACKNOWLEDGED));
  }
  return pages;
}

function refusal(impression: BilledImpression, error: RecordRefused | ConstraintViolation): RefusedRecord {
  const { record } = impression;
  return error instanceof ConstraintViolation && MONEY_CHECK.test(`${error.constraint} ${error.message}`)
    ? { record, reason: `${UNFUNDED} (${error.message})`, billed: impression, reversed: true, unfunded: true }
    : { record, reason: error.message, billed: impression };
}

function conflict(impression: BilledImpression): RefusedRecord {
  return { record: impression.record, reason: CONFLICTING, billed: impression, reversed: true };
}

/** A retry, of which nothing is charged: nobody has to look at it. */
function repetition(impression: BilledImpression): RefusedRecord {
  const resolution = "not charged: its key has been billed already";
  return { record: impression.record, reason: REPEATED, billed: impression, reversed: true, resolution };
}
