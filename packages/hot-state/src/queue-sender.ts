import { Queue } from "bullmq";
import { connectRedis } from "./connection.ts";

export interface ConnectionEvents {
  /** Name in CLIENT LIST. */
  name: string;
  onError: (error: Error) => void;
  /** Called for every established connection. */
  onSuccess: () => void;
}

export interface QueueSenderOptions extends ConnectionEvents {
  queue: { name: string; prefix: string };
  /**
   * How often a job is tried, without pauses: the end of a pause would be told by the clock of the worker that failed,
   * and if that was wrong, the job would wait as long as it was.
   */
  attempts: number;
}

/** Opens the sending end of a queue on its own connection. */
export function openQueueSender<Job>(url: string, options: QueueSenderOptions) {
  const connection = connectRedis(url, { name: options.name });
  const queue = new Queue<Job>(options.queue.name, {
    connection,
    prefix: options.queue.prefix,
    // Without these, a queue opened while Redis is unavailable never recovers.
    skipWaitingForReady: true,
    skipVersionCheck: true,
    skipMetasUpdate: true,
    defaultJobOptions: {
      attempts: options.attempts,
      removeOnComplete: true,
      // A job kept after its last attempt would block its records from being queued again.
      removeOnFail: true,
    },
  });
  queue.on("error", options.onError);
  connection.on("ready", options.onSuccess);
  return {
    queue,
    async close() {
      await queue.close();
      connection.disconnect();
    },
  };
}
