import type { ImpressionRecord } from "@diegetic/contracts";

interface Waiting {
  records: readonly ImpressionRecord[];
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** What becomes of a batch. A step that fails fails all jobs of the batch. */
export interface BatchSteps<Prepared> {
  /** Works out what can be known before the batch's turn; `isAhead`: another one is being written, which must not have to wait. */
  prepare: (records: readonly ImpressionRecord[], isAhead: boolean) => Promise<Prepared>;
  /** One batch at a time, in the order in which they were prepared. */
  write: (prepared: Prepared) => Promise<void>;
  /** What still has to be done before the jobs are: the next batch does not wait for it. */
  finish: (prepared: Prepared) => Promise<void>;
}

interface Batch<Prepared> {
  jobs: readonly Waiting[];
  prepared: Prepared;
}

/**
 * Joins what several jobs brought while the last batch was being written: the longer the queue, the larger the batches and
 * the fewer the rows that each impression moves. When as much waits as one batch may have, it is prepared while the last
 * one is written.
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

  /** Settles when the job's records have been written, with whatever else they were written. */
  add(records: readonly ImpressionRecord[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ records, resolve, reject });
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
      // Others may have come while this was on its way.
      if (batch === undefined && this.#next === undefined && this.#waiting.length === 0) break;
    }
    this.#isWriting = false;
  }

  async #write({ jobs, prepared }: Batch<Prepared>): Promise<boolean> {
    try {
      await this.#steps.write(prepared);
      return true;
    } catch (error) {
      for (const { reject } of jobs) reject(error);
      return false;
    }
  }

  /** The next batch; undefined when nothing waits, or when what waited could not be prepared. */
  async #prepare(isAhead: boolean): Promise<Batch<Prepared> | undefined> {
    if (this.#waiting.length === 0) return undefined;
    const jobs = this.#take();
    try {
      const records = jobs.flatMap((job) => job.records);
      return { jobs, prepared: await this.#steps.prepare(records, isAhead) };
    } catch (error) {
      for (const { reject } of jobs) reject(error);
      return undefined;
    }
  }

  async #finish({ jobs, prepared }: Batch<Prepared>): Promise<void> {
    try {
      await this.#steps.finish(prepared);
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
