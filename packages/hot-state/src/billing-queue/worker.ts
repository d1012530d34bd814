import type { BillingJob } from "@diegetic/contracts";
import { tracing } from "@diegetic/tracing";
import { UnrecoverableError } from "bullmq";
import { openQueueWorker, type QueueWorker, type QueueWorkerOptions } from "../queue-worker.ts";
import { BILLING_QUEUE } from "./queue-options.ts";

/**
 * Opens the receiving end of the billing queue on its own connections, paused. `handle` must be idempotent: a job is delivered
 * again when its worker crashed or was silent for too long. A job whose handler throws gets five attempts.
 */
export function createBillingWorker(
  url: string,
  handle: (job: BillingJob) => Promise<void>,
  options: Omit<QueueWorkerOptions<BillingJob>, "queue" | "handle">,
): QueueWorker {
  return openQueueWorker<BillingJob>(url, {
    ...options,
    queue: BILLING_QUEUE,
    handle: async ({ data }) => {
      if (data.schema !== 1 || !Array.isArray(data.records)) {
        throw new UnrecoverableError(`unknown schema of a billing job: ${String(data.schema)}`);
      }
      await traced(data, () => handle(data));
    },
  });
}

function traced(job: BillingJob, work: () => Promise<void>): Promise<void> {
  const attributes = {
    "messaging.system": "bullmq",
    "messaging.destination.name": BILLING_QUEUE.name,
    "messaging.batch.message_count": job.records.length,
  };
  const start = { name: "billing job", kind: "consumer" as const, attributes };
  return tracing === undefined ? work() : tracing.root(start, job.traceparents ?? [], work);
}
