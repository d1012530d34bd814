import type { ImpressionRecord } from "@diegetic/contracts";
import { type BillingProducer, MAX_RECORDS_PER_JOB } from "@diegetic/hot-state";
import { type Logger, OutageLogger } from "@diegetic/service-kit";

const GATHER_MS = 25;
const MAX_GATHERED = 20_000;
const MAX_JOBS_UNDER_WAY = 4;

/**
 * Gathers committed impressions for 25 ms or up to 500, and queues them as one billing job. The outbox is the truth:
 * what cannot be queued, or finds no room here while the queue is slow, is found there by the billing service.
 *
 * `timer` is set while something waits for its 25 ms to be over; at most four jobs are on their way at a time.
 */
export class ImpressionBatcher {
  readonly #producer: Pick<BillingProducer, "add">;
  readonly #outage: OutageLogger;
  readonly #count: (outcome: "queued" | "failed" | "dropped", records: number) => void;
  #gathered: ImpressionRecord[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: {
    producer: Pick<BillingProducer, "add">;
    logger: Logger;
    count: (outcome: "queued" | "failed" | "dropped", records: number) => void;
  }) {
    this.#producer = options.producer;
    const { logger } = options;
    this.#outage = new OutageLogger({
      unavailable: ({ failures, outageSeconds }, error) =>
        logger.warn({ err: error, records: failures, outageSeconds }, "impression queueing unavailable"),
      recovered: ({ failures, outageSeconds }) =>
        logger.info({ records: failures, outageSeconds }, "impression queueing recovered"),
    });
    this.#count = options.count;
  }

  add(record: ImpressionRecord): void {
    if (this.#gathered.length >= MAX_GATHERED) {
      this.#count("dropped", 1);
      return;
    }
    this.#gathered.push(record);
    if (this.#gathered.length >= MAX_RECORDS_PER_JOB) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), GATHER_MS);
  }

  /** Hands everything over that has been added. Ends also while Redis is unavailable: failed jobs are not tried again here. */
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
        // What came while all jobs were under way has waited for this moment.
        if (this.#gathered.length > 0) this.#timer ??= setTimeout(() => this.#send(), GATHER_MS);
      });
    }
  }

  async #queue(records: ImpressionRecord[]): Promise<void> {
    try {
      await this.#producer.add(records);
      this.#count("queued", records.length);
      this.#outage.succeeded();
    } catch (error) {
      this.#count("failed", records.length);
      this.#outage.failed(error instanceof Error ? error : new Error(String(error)), records.length);
    }
  }
}
