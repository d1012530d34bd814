import { setTimeout as sleep } from "node:timers/promises";
import type { BillingJob } from "@diegetic/contracts";
import { UnrecoverableError, Worker } from "bullmq";
import { connectRedis } from "../connection.ts";
import { abandon, withDuplicates } from "../queue-connections.ts";
import { QUEUE_NAME, QUEUE_PREFIX } from "./queue-options.ts";

export interface BillingWorker {
  /** Takes no further job until `resume`, except one that it is already waiting for. Idempotent. */
  pause(): void;
  resume(): void;
  /** Takes no new job, waits at most `drainMs` (default: 30 s) for running ones, then disconnects. */
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
  const connection = connectRedis(url, { name: options.name ?? "billing-worker", patient: true });
  const succeeded = () => options.onSuccess?.();
  const connections = withDuplicates(connection, succeeded);
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
      lockDuration: options.lockMs ?? 10_000,
      stalledInterval: options.stalledCheckMs ?? 2_000,
      maxStalledCount: 10,
      runRetryDelay: 500,
      autorun: false,
    },
  );
  const reportError = (error: Error) => void worker.emit("error", error);
  // Nobody awaits `run` after `resume`, so an unhandled rejection would end the process.
  const run = worker.run.bind(worker);
  worker.run = () => run().catch(reportError);
  if (!options.startsPaused) void worker.run();
  worker.on("error", (error) => options.onError?.(error));
  worker.on("active", succeeded);
  worker.on("failed", (job, error) => {
    const final = job === undefined || job.finishedOn !== undefined;
    options.onFailed?.(error, job?.data, final);
  });
  return {
    pause: () => void worker.pause(true).catch(reportError),
    resume: () => void worker.resume().catch(reportError),
    async close(drainMs = 30_000) {
      const drained = worker.close();
      const overdue = new AbortController();
      await Promise.race([drained, sleep(drainMs, undefined, { signal: overdue.signal })]);
      overdue.abort();
      for (const each of connections) abandon(each);
    },
  };
}
