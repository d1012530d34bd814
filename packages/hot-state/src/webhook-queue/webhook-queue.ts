import { type ConnectionEvents, openQueueSender } from "../queue-sender.ts";
import { openQueueWorker, type QueueWorker } from "../queue-worker.ts";

/** A cluster requires one hash tag for all keys of the queue. */
const WEBHOOK_QUEUE = { name: "deliveries", prefix: "{webhooks}" };
/** Postgres counts the attempts at a delivery and ends them; a job also repeats while its account is busy. */
const MAX_JOB_ATTEMPTS = 1_000;
const STALLED_CHECK_SHARE = 6;

export interface WebhookJob {
  deliveryId: string;
  /** Incremented when a delivery is asked for again. */
  round: number;
}

/** Thrown by a handler: the job is to be tried again after this time. Milliseconds. */
export class RetryAfter extends Error {
  readonly delayMs: number;

  constructor(delayMs: number) {
    super(`retry after ${delayMs} ms`);
    this.name = "RetryAfter";
    this.delayMs = delayMs;
  }
}

export interface WebhookProducer {
  /** Queues a delivery, unless the same round of it is queued or running. Rejects when Redis is unavailable. */
  add(job: WebhookJob): Promise<void>;
  close(): Promise<void>;
}

export function createWebhookProducer(url: string, options: ConnectionEvents): WebhookProducer {
  const { queue, close } = openQueueSender<WebhookJob>(url, {
    ...options,
    queue: WEBHOOK_QUEUE,
    retries: { attempts: MAX_JOB_ATTEMPTS, backoff: { type: "custom" } },
  });
  return {
    async add(job) {
      await queue.add("deliver", job, { jobId: `${job.deliveryId}.${job.round}` });
    },
    close,
  };
}

export type WebhookWorker = QueueWorker;

/**
 * Opens the receiving end, paused. A handler that throws RetryAfter gets the job again after that time, after another
 * error in `failureDelayMs`. A job is delivered again when its worker crashed or was silent for `lockMs`.
 */
export function createWebhookWorker(
  url: string,
  handle: (job: WebhookJob) => Promise<void>,
  options: ConnectionEvents & {
    concurrency: number;
    lockMs: number;
    failureDelayMs: number;
    /** Called for every failure but RetryAfter. */
    onFailed: (error: Error) => void;
  },
): WebhookWorker {
  return openQueueWorker<WebhookJob>(url, {
    ...options,
    queue: WEBHOOK_QUEUE,
    handle: ({ data }) => handle(data),
    stalledCheckMs: Math.ceil(options.lockMs / STALLED_CHECK_SHARE),
    settings: {
      backoffStrategy: (_attempts, _type, error) =>
        error instanceof RetryAfter ? error.delayMs : options.failureDelayMs,
    },
    onFailed: (error) => {
      if (!(error instanceof RetryAfter)) options.onFailed(error);
    },
  });
}
