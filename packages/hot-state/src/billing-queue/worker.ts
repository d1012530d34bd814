import type { BillingJob } from "@diegetic/contracts";
import { tracing } from "@diegetic/tracing";
import { UnrecoverableError } from "bullmq";
import { openQueueWorker, type QueueWorker } from "../queue-worker.ts";
import { QUEUE_NAME, QUEUE_PREFIX } from "./queue-options.ts";

export interface BillingWorker extends QueueWorker {
  /** @param drainMs default: 30 s */
  close(drainMs?: number): Promise<void>;
}

export interface BillingWorkerOptions {
  /** Name in CLIENT LIST. */
  name?: string;
  /** Concurrent jobs. Default: 2. */
  concurrency?: number;
  /** How long a worker may be silent before its job goes to another worker. Default: 10 000. */
  lockMs?: number;
  /** How often workers check for such jobs. Default: 2 000; the same for all workers. */
  stalledCheckMs?: number;
  /** Takes no job before `resume`. Default: false. */
  startsPaused?: boolean;
  /** Called for every failed connection. */
  onError?: (error: Error) => void;
  /** Called for every established connection and every delivered job. */
  onSuccess?: () => void;
  /** Called for every failed attempt at a job; `final`: no retry follows, but the outbox still has the records. */
  onFailed?: (error: Error, job: BillingJob | undefined, final: boolean) => void;
}

/**
 * Opens the receiving end of the billing queue on its own connections. `handle` must be idempotent: a job is delivered
 * again when its worker crashed or was silent for too long. A job whose handler throws gets five attempts.
 */
export function createBillingWorker(
  url: string,
  handle: (job: BillingJob) => Promise<void>,
  options: BillingWorkerOptions = {},
): BillingWorker {
  const worker = openQueueWorker<BillingJob>(url, {
    name: options.name ?? "billing-worker",
    queue: { name: QUEUE_NAME, prefix: QUEUE_PREFIX },
    handle: async ({ data }) => {
      if (data.schema !== 1 || !Array.isArray(data.records)) {
        throw new UnrecoverableError(`unknown schema of a billing job: ${String(data.schema)}`);
      }
      await traced(data, () => handle(data));
    },
    concurrency: options.concurrency ?? 2,
    lockMs: options.lockMs ?? 10_000,
    stalledCheckMs: options.stalledCheckMs ?? 2_000,
    onError: (error) => options.onError?.(error),
    onSuccess: () => options.onSuccess?.(),
    onFailed: (error, job, final) => options.onFailed?.(error, job, final),
  });
  if (!options.startsPaused) worker.resume();
  return { ...worker, close: (drainMs = 30_000) => worker.close(drainMs) };
}

function traced(job: BillingJob, work: () => Promise<void>): Promise<void> {
  const attributes = {
    "messaging.system": "bullmq",
    "messaging.destination.name": QUEUE_NAME,
    "messaging.batch.message_count": job.records.length,
  };
  const start = { name: "billing job", kind: "consumer" as const, attributes };
  return tracing === undefined ? work() : tracing.root(start, job.traceparents ?? [], work);
}
