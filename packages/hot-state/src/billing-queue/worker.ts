import { setTimeout as sleep } from "node:timers/promises";
import type { BillingJob } from "@diegetic/contracts";
import { UnrecoverableError, Worker } from "bullmq";
import { connectRedis } from "../connection.ts";
import { QUEUE_NAME, QUEUE_PREFIX } from "./queue-options.ts";

export interface BillingWorker {
  /** Takes no new job, waits for the running ones for at most `drainMs` (default 30 s), then disconnects. */
  close(drainMs?: number): Promise<void>;
}

export interface BillingWorkerOptions {
  /** Shown by CLIENT LIST. */
  name?: string;
  /** Jobs handled at a time. Default: 2. */
  concurrency?: number;
  /** How long a worker may be silent before its job is given to another one. Default: 30 000. */
  lockMs?: number;
  /** How often workers look for such jobs. Default: 5 000. */
  stalledCheckMs?: number;
  /** Told of failed connections. */
  onError?: (error: Error) => void;
  /** Told of every failed attempt at a job; `final`: it will not be tried again, the outbox still has its records. */
  onFailed?: (error: Error, job: BillingJob | undefined, final: boolean) => void;
}

/**
 * Opens the receiving end of the billing queue, on connections of its own. `handle` must be idempotent: a job comes
 * again when its worker died or was silent for too long. A handler that throws is tried again, five times in all.
 */
export function createBillingWorker(
  url: string,
  handle: (job: BillingJob) => Promise<void>,
  options: BillingWorkerOptions = {},
): BillingWorker {
  const connection = connectRedis(url, { name: options.name ?? "billing-worker", patient: true });
  connection.on("error", () => undefined); // Reported by the worker.
  const worker = new Worker<BillingJob>(
    QUEUE_NAME,
    async ({ data }) => {
      if (data.schema !== 1 || !Array.isArray(data.records)) {
        throw new UnrecoverableError(`unknown schema of a billing job: ${String(data.schema)}`);
      }
      await handle(data);
    },
    {
      connection,
      prefix: QUEUE_PREFIX,
      concurrency: options.concurrency ?? 2,
      lockDuration: options.lockMs ?? 30_000,
      stalledInterval: options.stalledCheckMs ?? 5_000,
      maxStalledCount: 10,
      runRetryDelay: 500,
      skipVersionCheck: true,
    },
  );
  worker.on("error", (error) => options.onError?.(error));
  worker.on("failed", (job, error) => {
    const final = job === undefined || job.finishedOn !== undefined;
    options.onFailed?.(error, job?.data, final);
  });
  return {
    async close(drainMs = 30_000) {
      const drained = worker.close();
      const overdue = new AbortController();
      await Promise.race([drained, sleep(drainMs, undefined, { signal: overdue.signal })]);
      overdue.abort();
      connection.disconnect();
    },
  };
}
