import type { ImpressionRecord } from "@diegetic/contracts";
import { inTraces, type TraceContext, tracing } from "@diegetic/tracing";

interface Waiting {
  records: readonly ImpressionRecord[];
  resolve: () => void;
  reject: (error: unknown) => void;
  trace: TraceContext | undefined;
}

/** The steps of a batch. A failed step fails all jobs of the batch. */
export interface BatchSteps<Prepared> {
  /** Prepares a batch before its turn. `isAhead`: another batch is being written and must not be delayed. */
  prepare: (records: readonly ImpressionRecord[], isAhead: boolean) => Promise<Prepared>;
  /** Called for one batch at a time, in the order of preparation. */
  write: (prepared: Prepared) => Promise<void>;
  /** Completes the jobs; the next batch does not wait for it. */
  finish: (prepared: Prepared) => Promise<void>;
}

interface Batch<Prepared> {
  jobs: readonly Waiting[];
  prepared: Prepared;
}

/**
 * Joins the jobs that arrive while a batch is being written: a longer queue makes larger batches, which update fewer
 * rows per impression. A full batch is prepared during the current write.
 */
export class JoinedJobs<Prepared> {
  readonly #steps: BatchSteps<Prepared>;
  readonly #recordsPerBatch: number;
  #waiting: Waiting[] = [];
  #next: Promise<Batch<Prepared> | undefined> | undefined;
  #isWriting = false;

  constructor(steps: BatchSteps<Prepared>, recordsPerBatch: number) {
    this.#steps = steps;
    this.#recordsPerBatch = recordsPerBatch;
  }

  /** Settles when the batch with the job's records is finished. */
  add(records: readonly ImpressionRecord[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ records, resolve, reject, trace: tracing?.current() });
      if (!this.#isWriting) void this.#writeAll();
      else if (this.#next === undefined && this.#countWaiting() >= this.#recordsPerBatch) {
        this.#next = this.#prepare(true);
      }
    });
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    let written: Batch<Prepared> | undefined;
    for (;;) {
      const next = this.#next ?? this.#prepare(false);
      this.#next = undefined;
      const batch = await next;
      const writing = batch && this.#write(batch);
      if (written !== undefined) void this.#finish(written);
      written = (await writing) === true ? batch : undefined;
      // Jobs may have arrived in the meantime.
      if (batch === undefined && this.#next === undefined && this.#waiting.length === 0) break;
    }
    this.#isWriting = false;
  }

  async #write({ jobs, prepared }: Batch<Prepared>): Promise<boolean> {
    try {
      await inTraces(jobs, () => this.#steps.write(prepared));
      return true;
    } catch (error) {
      for (const { reject } of jobs) reject(error);
      return false;
    }
  }

  /** The next batch; undefined when nothing waits, or the preparation failed. */
  async #prepare(isAhead: boolean): Promise<Batch<Prepared> | undefined> {
    if (this.#waiting.length === 0) return undefined;
    const jobs = this.#take();
    try {
      const records = jobs.flatMap((job) => job.records);
      return { jobs, prepared: await inTraces(jobs, () => this.#steps.prepare(records, isAhead)) };
    } catch (error) {
      for (const { reject } of jobs) reject(error);
      return undefined;
    }
  }

  async #finish({ jobs, prepared }: Batch<Prepared>): Promise<void> {
    try {
      await inTraces(jobs, () => this.#steps.finish(prepared));
      for (const { resolve } of jobs) resolve();
    } catch (error) {
      for (const { reject } of jobs) reject(error);
    }
  }

  #countWaiting(): number {
    return this.#waiting.reduce((sum, { records }) => sum + records.length, 0);
  }

  /** At least one job, however large. */
  #take(): Waiting[] {
    let count = 0;
    let records = 0;
    for (const waiting of this.#waiting) {
      records += waiting.records.length;
      if (count > 0 && records > this.#recordsPerBatch) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }
}
