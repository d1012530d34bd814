import type { ImpressionRecord } from "@diegetic/contracts";

interface Waiting {
  records: readonly ImpressionRecord[];
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Joins what several jobs brought while the last batch was being written: the longer the queue, the larger the batches and
 * the fewer the rows that each impression moves.
 *
 * At most `writers` batches are written at a time. A batch that fails fails all of its jobs.
 */
export class JoinedJobs {
  readonly #write: (records: readonly ImpressionRecord[]) => Promise<void>;
  readonly #limits: { writers: number; recordsPerBatch: number };
  #waiting: Waiting[] = [];
  #writing = 0;

  constructor(
    write: (records: readonly ImpressionRecord[]) => Promise<void>,
    limits: { writers: number; recordsPerBatch: number },
  ) {
    this.#write = write;
    this.#limits = limits;
  }

  /** Settles when the job's records have been written, with whatever else they were written. */
  add(records: readonly ImpressionRecord[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ records, resolve, reject });
      void this.#next();
    });
  }

  async #next(): Promise<void> {
    if (this.#writing >= this.#limits.writers || this.#waiting.length === 0) return;
    const batch = this.#take();
    this.#writing += 1;
    try {
      await this.#write(batch.flatMap(({ records }) => records));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#writing -= 1;
      void this.#next();
    }
  }

  /** At least one job, however large. */
  #take(): Waiting[] {
    let count = 0;
    let records = 0;
    for (const waiting of this.#waiting) {
      records += waiting.records.length;
      if (count > 0 && records > this.#limits.recordsPerBatch) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }
}
