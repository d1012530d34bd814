import type { ImpressionRecord } from "@diegetic/contracts";
import { type BillingProducer, MAX_RECORDS_PER_JOB } from "@diegetic/hot-state";
import { type Logger, OutageLog } from "@diegetic/service-kit";
import { tracing } from "@diegetic/tracing";

const GATHER_MS = 25;
const MAX_GATHERED = 20_000;
const MAX_JOBS_UNDER_WAY = 4;

/**
 * Queues committed impressions as billing jobs of at most 500, after 25 ms at the latest; at most four jobs are in
 * flight. Drops what cannot be queued or exceeds the buffer: the outbox has it, and billing sweeps that.
 */
export class ImpressionBatcher {
  readonly #producer: Pick<BillingProducer, "add">;
  readonly #outage: OutageLog;
  readonly #count: (outcome: "queued" | "failed" | "dropped", records: number) => void;
  #gathered: ImpressionRecord[] = [];
  /** Of the recorded requests. */
  readonly #traceparents = new WeakMap<ImpressionRecord, string>();
  #timer: NodeJS.Timeout | undefined;
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: {
    producer: Pick<BillingProducer, "add">;
    logger: Logger;
    count: (outcome: "queued" | "failed" | "dropped", records: number) => void;
  }) {
    this.#producer = options.producer;
    const { logger } = options;
    this.#outage = new OutageLog(logger, {
      failing: "impression queueing unavailable",
      recovered: "impression queueing recovered",
      countField: "records",
    });
    this.#count = options.count;
  }

  add(record: ImpressionRecord): void {
    if (this.#gathered.length >= MAX_GATHERED) {
      this.#count("dropped", 1);
      return;
    }
    this.#gathered.push(record);
    const traceparent = tracing?.traceparent();
    if (traceparent !== undefined) this.#traceparents.set(record, traceparent);
    if (this.#gathered.length >= MAX_RECORDS_PER_JOB) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), GATHER_MS);
  }

  /** Flushes everything that was added. Also ends while Redis is unavailable, because failed jobs are not retried here. */
  async flush(): Promise<void> {
    while (this.#gathered.length > 0 || this.#underWay.size > 0) {
      this.#send();
      await Promise.all(this.#underWay);
    }
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#gathered.length > 0 && this.#underWay.size < MAX_JOBS_UNDER_WAY) {
      const job = this.#queue(this.#gathered.splice(0, MAX_RECORDS_PER_JOB));
      this.#underWay.add(job);
      void job.finally(() => {
        this.#underWay.delete(job);
        // Impressions may have accumulated while the maximum number of jobs was in flight.
        if (this.#gathered.length > 0) this.#timer ??= setTimeout(() => this.#send(), GATHER_MS);
      });
    }
  }

  async #queue(records: ImpressionRecord[]): Promise<void> {
    try {
      const traceparents = tracing && records.flatMap((record) => this.#traceparents.get(record) ?? []);
      await this.#producer.add(records, traceparents);
      this.#count("queued", records.length);
      this.#outage.succeeded();
    } catch (error) {
      this.#count("failed", records.length);
      this.#outage.failed(error, { count: records.length });
    }
  }
}
