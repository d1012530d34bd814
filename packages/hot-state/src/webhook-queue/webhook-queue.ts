import { type ConnectionEvents, openQueueSender } from "../queue-sender.ts";
import { openQueueWorker, type QueueWorker } from "../queue-worker.ts";

/** A cluster requires one hash tag for all keys of the queue. */
const WEBHOOK_QUEUE = { name: "deliveries", prefix: "{webhooks}" };
const STALLED_CHECK_SHARE = 6;

/** One attempt at a delivery. */
export interface WebhookJob {
  deliveryId: string;
  /** Incremented when a delivery is asked for again. */
  round: number;
  /** Attempts made in this round. */
  roundAttempts: number;
}

export interface WebhookProducer {
  /** Queues an attempt, unless it is queued or running. Rejects when Redis is unavailable. */
  add(job: WebhookJob): Promise<void>;
  close(): Promise<void>;
}

export function createWebhookProducer(url: string, options: ConnectionEvents): WebhookProducer {
  const { queue, close } = openQueueSender<WebhookJob>(url, {
    ...options,
    queue: WEBHOOK_QUEUE,
    attempts: 1,
  });
  return {
    async add(job) {
      await queue.add("deliver", job, { jobId: `${job.deliveryId}.${job.round}.${job.roundAttempts}` });
    },
    close,
  };
}

/**
 * Opens the receiving end, paused. A job whose handler throws is dropped, one whose worker crashed or was silent for
 * `lockMs` is delivered again.
 */
export function createWebhookWorker(
  url: string,
  handle: (job: WebhookJob) => Promise<void>,
  options: ConnectionEvents & {
    concurrency: number;
    lockMs: number;
    onLockLost: (error: Error) => void;
    /** Called for every failure. */
    onFailed: (error: Error) => void;
  },
): QueueWorker {
  return openQueueWorker<WebhookJob>(url, {
    ...options,
    queue: WEBHOOK_QUEUE,
    handle: ({ data }) => handle(data),
    stalledCheckMs: Math.ceil(options.lockMs / STALLED_CHECK_SHARE),
  });
}
