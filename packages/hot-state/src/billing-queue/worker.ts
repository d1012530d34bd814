import { setTimeout as sleep } from "node:timers/promises";
import type { BillingJob } from "@diegetic/contracts";
import { UnrecoverableError, Worker } from "bullmq";
import { connectRedis, type RedisConnection } from "../connection.ts";
import { QUEUE_NAME, QUEUE_PREFIX } from "./queue-options.ts";

export interface BillingWorker {
  /** Takes no further job until `resume`, but for one that it waits for just now. Harmless when it is so already. */
  pause(): void;
  resume(): void;
  /** Takes no new job, waits for the running ones for at most `drainMs` (default 30 s), then disconnects. */
  close(drainMs?: number): Promise<void>;
}

export interface BillingWorkerOptions {
  /** Shown by CLIENT LIST. */
  name?: string;
  /** Jobs handled at a time. Default: 2. */
  concurrency?: number;
  /** How long a worker may be silent before its job is given to another one. Default: 10 000. */
  lockMs?: number;
  /** How often workers look for such jobs. Default: 2 000; the same for all workers. */
  stalledCheckMs?: number;
  /** Takes no job before `resume`. Default: false. */
  startsPaused?: boolean;
  /** Told of failed connections. */
  onError?: (error: Error) => void;
  /** Told of every connection that was made, and of every job that comes. */
  onSuccess?: () => void;
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
  // What `resume` starts, nobody waits for: its failure would end the process.
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

/**
 * Ends a connection in any state. One that is between two attempts (where BullMQ may have left it for good) never says
 * that it has ended, and BullMQ waits for that: a last attempt makes it say so.
 */
function abandon(connection: RedisConnection): void {
  if (connection.status === "end") return;
  Object.assign(connection.options, { retryStrategy: () => null, clusterRetryStrategy: () => null });
  if (connection.status !== "reconnecting") connection.disconnect();
  else
    connection.connect().then(
      () => connection.disconnect(),
      () => undefined,
    );
}

/**
 * BullMQ copies the connection for its blocking reads and keeps the copy to itself; only who has it can close a worker
 * that waits for a Redis which does not answer. Returns the list that the copies are added to.
 * @param onReady told whenever one of them is connected
 */
function withDuplicates(connection: RedisConnection, onReady: () => void): RedisConnection[] {
  const connections = [connection];
  connection.on("error", () => undefined);
  connection.on("ready", onReady);
  const duplicate = connection.duplicate.bind(connection) as (...options: unknown[]) => RedisConnection;
  Object.assign(connection, {
    duplicate: (...options: unknown[]) => {
      const copy = duplicate(...options);
      copy.on("error", () => undefined); // The worker reports them for as long as it listens.
      copy.on("ready", onReady);
      connections.push(copy);
      return copy;
    },
  });
  return connections;
}
