import { setTimeout as sleep } from "node:timers/promises";
import { type Processor, Worker } from "bullmq";
import { connectRedis, type RedisConnection } from "./connection.ts";
import { ForeignRedis } from "./installation/foreign-redis.ts";
import type { InstallationClaim } from "./installation/installation-claim.ts";
import { RunningJobs } from "./running-jobs.ts";

export interface QueueWorker {
  /** Takes no further job until `resume`, except one that it is already waiting for. Idempotent. */
  pause(): void;
  resume(): void;
  /**
   * Takes no new job, waits at most `drainMs` for running ones, then disconnects. Without running ones it waits only for a
   * moment for an unavailable Redis.
   */
  close(drainMs: number): Promise<void>;
}

export interface QueueWorkerOptions<Job> {
  /** Name in CLIENT LIST. */
  name: string;
  queue: { name: string; prefix: string };
  handle: Processor<Job>;
  concurrency: number;
  /** How long a worker may be silent before its job goes to another worker. */
  lockMs: number;
  /** How often workers check for such jobs; the same for all workers. */
  stalledCheckMs: number;
  /** Called for every failed connection and command, except at another installation's Redis. */
  onError: (error: Error) => void;
  /** Called for every running job whose lock expired, such as in a blocked process: another worker may repeat it. */
  onLockLost: (error: Error) => void;
  /** Called for every established connection and delivered job, and after a failure while all connections work. */
  onSuccess: () => void;
  /** Called for every failed attempt at a job; `final`: no retry follows. */
  onFailed: (error: Error, job: Job | undefined, final: boolean) => void;
  /** Guards the connections. Default: any Redis is used. */
  claim?: Pick<InstallationClaim, "guard"> | undefined;
}

/**
 * Time to record the end of the last job, or to receive one that was just taken. Longer makes a process end late whose Redis is
 * unavailable; if it is too short, the job is delivered again.
 */
const LAST_REPLIES_MS = 1_000;
/** BullMQ waits for at most 10 s for a job, allows 1 s more, and may then replace the connection. */
const MAX_WAIT_FOR_JOB_MS = 15_000;
/** Leaves the event loop to other work; shorter than the interval between two checks of the claim. */
const PAUSE_AFTER_REFUSAL_MS = 500;

/** BullMQ's words when it renews a lock, or records the end of its job. */
const LOST_LOCK_MESSAGE = /^(could not renew lock|Missing lock) for job /;

class ClosableWorker<Job> extends Worker<Job> {
  /** BullMQ repeats a failed call at once: refused commands would block the event loop. */
  protected override async moveToActive(token: string, name?: string) {
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      if (error instanceof ForeignRedis) await sleep(PAUSE_AFTER_REFUSAL_MS);
      throw error;
    }
  }

  /** `close` does this only after the running jobs, so one that never ends would keep the process alive. */
  stopRenewingLocks(): Promise<void> {
    return this.lockManager.close();
  }
}

/** Opens the receiving end of a queue on its own connections, paused. */
export function openQueueWorker<Job>(url: string, options: QueueWorkerOptions<Job>): QueueWorker {
  const connection = connectRedis(url, { name: options.name, patient: true });
  const connections = withDuplicates(connection, options);
  const running = new RunningJobs();
  const handle: Processor<Job> = (...job) => running.during(options.handle(...job));
  const worker = new ClosableWorker<Job>(options.queue.name, handle, {
    connection,
    prefix: options.queue.prefix,
    concurrency: options.concurrency,
    lockDuration: options.lockMs,
    stalledInterval: options.stalledCheckMs,
    maxStalledCount: 10,
    runRetryDelay: 500,
    autorun: false,
  });
  const reportError = (error: Error) => void worker.emit("error", error);
  limitWaits(worker, reportError);
  // Nobody awaits `run` after `resume`, so an unhandled rejection would end the process.
  const run = worker.run.bind(worker);
  worker.run = () => run().catch(reportError);
  worker.on("error", (error) => {
    // The check of the claim logs it once.
    if (error instanceof ForeignRedis) return;
    if (LOST_LOCK_MESSAGE.test(error.message)) return options.onLockLost(error);
    options.onError(error);
    // BullMQ also reports what fails on a working connection.
    if (connections.every(({ status }) => status === "ready")) options.onSuccess();
  });
  worker.on("active", options.onSuccess);
  worker.on("failed", (job, error) => {
    options.onFailed(error, job?.data, job === undefined || job.finishedOn !== undefined);
  });
  return {
    pause: () => void worker.pause(true).catch(reportError),
    resume: () => void worker.resume().catch(reportError),
    async close(drainMs) {
      const drained = worker.close();
      const ended = new AbortController();
      const wait = (ms: number) => sleep(ms, undefined, { signal: ended.signal }).catch(() => undefined);
      await Promise.race([drained, wait(drainMs), running.idle(() => wait(LAST_REPLIES_MS))]);
      ended.abort();
      await worker.stopRenewingLocks();
      for (const each of connections) abandon(each);
    },
  };
}

interface WorkerInternals {
  /** Set once the worker is told to close; it must take no job after that. */
  closing: unknown;
  /** Resolves with the time of the next job (Unix ms); 0: ask for one now. */
  waitForJob(blockUntilMs: number): Promise<number>;
}

/**
 * When a cluster's connection is lost, BullMQ may wait for an event that never comes, and would never take a job again. After a
 * time this reports it, and the worker asks for jobs on its other connection, then waits anew.
 */
function limitWaits(worker: object, report: (error: Error) => void): void {
  const internals = worker as WorkerInternals;
  const waitForJob = internals.waitForJob.bind(worker);
  internals.waitForJob = async (blockUntilMs) => {
    const ended = new AbortController();
    // Not referenced: a wait that outlasts `close` must not keep the process alive.
    const limit = sleep(MAX_WAIT_FOR_JOB_MS, null, { signal: ended.signal, ref: false }).catch(() => null);
    const result = await Promise.race([waitForJob(blockUntilMs), limit]).finally(() => ended.abort());
    if (result !== null) return result;
    if (internals.closing !== undefined) return Number.POSITIVE_INFINITY;
    report(new Error("waiting for a job timed out; asking on the other connection"));
    return 0;
  };
}

/**
 * Ends a connection in any state. BullMQ waits for the end event, which a connection between two attempts never emits;
 * one last attempt makes it emit the event.
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
 * BullMQ duplicates the connection for its blocking reads. Closing a worker that waits for an unresponsive Redis
 * requires those duplicates. Returns the list that collects them.
 */
function withDuplicates(
  connection: RedisConnection,
  { claim, onSuccess }: Pick<QueueWorkerOptions<never>, "claim" | "onSuccess">,
): RedisConnection[] {
  const connections = [connection];
  claim?.guard(connection);
  connection.on("ready", onSuccess);
  const duplicate = connection.duplicate.bind(connection) as (...options: unknown[]) => RedisConnection;
  Object.assign(connection, {
    duplicate: (...options: unknown[]) => {
      const copy = duplicate(...options);
      claim?.guard(copy);
      copy.on("error", () => undefined); // The worker reports them for as long as it listens.
      copy.on("ready", onSuccess);
      connections.push(copy);
      return copy;
    },
  });
  return connections;
}
