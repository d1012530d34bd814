import { chunks } from "@diegetic/collections";
import type { ImpressionRecord } from "@diegetic/contracts";
import {
  type BillingProducer,
  type DamagedEntry,
  type DueIndex,
  isRedisFull,
  MAX_RECORDS_PER_JOB,
  type MoneyCommands,
} from "@diegetic/hot-state";
import { outboxPages } from "../loops/pages.ts";
import { visitDue } from "../loops/visit-due.ts";
import type { BillingMeasures } from "../measures.ts";
import { Backlog, type OutboxView } from "./backlog.ts";

export interface SweeperDependencies {
  money: Pick<MoneyCommands, "listOutbox">;
  due: Pick<DueIndex, "due" | "reschedule">;
  producer: Pick<BillingProducer, "add" | "depth">;
  /** Whether the queue is silent, so that its worker may hang: then records bypass it. */
  isQueueSilent: (depth: number) => boolean;
  /** Writes records to Postgres and removes them from the outbox, without the queue. */
  write: (records: readonly ImpressionRecord[]) => Promise<void>;
  /** Moves damaged entries from the outbox into quarantine. */
  quarantine: (walletId: string, damaged: readonly DamagedEntry[]) => Promise<void>;
  measures: BillingMeasures;
  nowMs: () => number;
  /** Age at which a record in the outbox is queued again. */
  overdueAfterMs: number;
}

export const MAX_CONCURRENT_SWEEPS = 8;
/** Above this depth, more jobs would only repeat queued ones (Postgres unavailable, or a burst). */
const MAX_QUEUED_JOBS = 100;

/** Queues committed records again whose job was lost: the outbox is authoritative, the queue only transports. */
export class Sweeper {
  readonly #dependencies: SweeperDependencies;
  readonly #backlog: Backlog;

  constructor(dependencies: SweeperDependencies) {
    this.#dependencies = dependencies;
    this.#backlog = new Backlog(3 * dependencies.overdueAfterMs);
  }

  /** Visits the wallets that are due. */
  async pass(signal: AbortSignal): Promise<void> {
    const { due, measures, nowMs, overdueAfterMs } = this.#dependencies;
    const visits = {
      due,
      kind: "outbox" as const,
      nowMs,
      maxConcurrent: MAX_CONCURRENT_SWEEPS,
      pauseAfterFailureMs: overdueAfterMs,
    };
    const failed = await visitDue(visits, signal, async (walletId) => {
      const { records } = await this.sweep(walletId);
      return records === 0 ? null : nowMs() + overdueAfterMs;
    });
    const { overdueRecords, oldestSeconds } = this.#backlog.summary(nowMs());
    measures.overdueRecords.set(overdueRecords);
    measures.oldestOverdueSeconds.set(oldestSeconds);
    if (failed.length > 0) throw failed[0];
  }

  /** Queues the overdue records of one wallet again, until the queue is full; quarantines damaged entries. */
  async sweep(walletId: string): Promise<OutboxView> {
    const { money, quarantine, nowMs } = this.#dependencies;
    const found: OutboxView = { records: 0, overdue: 0, oldestOverdueMs: null };
    for await (const { items, damaged } of outboxPages(money, walletId)) {
      if (damaged.length > 0) await quarantine(walletId, damaged);
      const overdue = items.filter((record) => this.#isOverdue(record));
      found.records += items.length;
      found.overdue += overdue.length;
      for (const { recorded_at_ms } of overdue) {
        found.oldestOverdueMs = Math.min(found.oldestOverdueMs ?? recorded_at_ms, recorded_at_ms);
      }
      if (!(await this.#queue(overdue))) break;
    }
    this.#backlog.record(walletId, found, nowMs());
    return found;
  }

  /** A record from this clock's future counts as overdue: queueing it twice is cheap, losing it would break a 201. */
  #isOverdue({ recorded_at_ms: recordedAtMs }: ImpressionRecord): boolean {
    const { nowMs, overdueAfterMs } = this.#dependencies;
    return Math.abs(nowMs() - recordedAtMs) >= overdueAfterMs;
  }

  /** False: the queue is full; the rest waits for a later pass. */
  async #queue(records: ImpressionRecord[]): Promise<boolean> {
    const { producer, isQueueSilent } = this.#dependencies;
    for (const job of chunks(records, MAX_RECORDS_PER_JOB)) {
      const depth = await producer.depth();
      const isSilent = isQueueSilent(depth);
      if (!isSilent && depth >= MAX_QUEUED_JOBS) return false;
      await this.#deliver(job, isSilent);
    }
    return true;
  }

  /** Queues the records, or writes them directly: a full Redis accepts no job, and only writing frees its memory. */
  async #deliver(job: ImpressionRecord[], isQueueSilent: boolean): Promise<void> {
    const { producer, measures, write } = this.#dependencies;
    try {
      if (!isQueueSilent) {
        await producer.add(job);
        measures.requeued.inc(job.length);
        return;
      }
    } catch (error) {
      if (!isRedisFull(error)) throw error;
    }
    await write(job);
    measures.pastQueue.inc(job.length);
  }
}
