import { createHash } from "node:crypto";
import type { BillingJob, ImpressionRecord } from "@diegetic/contracts";
import { type ConnectionEvents, openQueueSender } from "../queue-sender.ts";
import { BILLING_QUEUE, MAX_RECORDS_PER_JOB, MAX_TRACEPARENTS_PER_JOB } from "./queue-options.ts";

export interface BillingProducer {
  /**
   * Queues at most 500 committed impressions. The same set of charges is one job while that job is queued or running; an
   * impression that was charged again after a loss, in another epoch, is another charge. Rejects when Redis is unavailable; the outbox keeps the records.
   * @param traceparents of the requests; the job carries the first ones
   */
  add(records: readonly ImpressionRecord[], traceparents?: readonly string[]): Promise<void>;
  /** Number of waiting and running jobs. */
  depth(): Promise<number>;
  close(): Promise<void>;
}

/** Opens the sending end of the billing queue on its own connection. */
export function createBillingProducer(url: string, options: Partial<ConnectionEvents> = {}): BillingProducer {
  const { queue, close } = openQueueSender<BillingJob>(url, {
    name: "billing-producer",
    onError: () => undefined,
    onSuccess: () => undefined,
    ...options,
    queue: BILLING_QUEUE,
    attempts: 5,
  });
  return {
    async add(records, traceparents = []) {
      if (records.length === 0) return;
      if (records.length > MAX_RECORDS_PER_JOB) {
        throw new RangeError(
          `a billing job has at most ${MAX_RECORDS_PER_JOB} records, not ${records.length}`,
        );
      }
      const job: BillingJob = { schema: 1, records: [...records] };
      if (traceparents.length > 0) job.traceparents = traceparents.slice(0, MAX_TRACEPARENTS_PER_JOB);
      await queue.add("write", job, { jobId: jobIdOf(records) });
    },
    async depth() {
      const counts = await queue.getJobCounts("wait", "active");
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    },
    close,
  };
}

function jobIdOf(records: readonly ImpressionRecord[]): string {
  const charges = records.map(({ impression_id: id, recovery_epoch: epoch }) => `${id} ${epoch}`).sort();
  return `b${createHash("sha256").update(charges.join("\n")).digest("hex")}`;
}
